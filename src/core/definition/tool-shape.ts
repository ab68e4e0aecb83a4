/** `tools` and `turn` of a step: what an agent may call while it works, and how far it may go. */
import { LIMITS } from "../base/index.ts";
import { type Action, ACTIONS, type ToolAction, type TurnLimits } from "./definition.ts";
import { mandatory, optional, record } from "./record.ts";
import { byKind, choice, list, located, number, refine, type Shape } from "./shape.ts";
import { givenName } from "./text-shape.ts";

/** `action` null: the step says nothing about it. */
export interface WrittenTool {
  readonly name: string;
  readonly action: Action | null;
}

const tool = byKind<WrittenTool>("a name, or a map with name and action", {
  text: refine(givenName, (name) => ({ name, action: null })),
  map: refine(
    record(
      {
        name: mandatory(givenName, "Name of the tool; * stands for any characters."),
        action: mandatory(choice(ACTIONS), "What kind of act a call is, for the autonomy check."),
      },
      { title: "a tool" },
    ),
    ({ name, action }) => (name === undefined || action === undefined ? undefined : { name, action }),
  ),
});

export const toolsShape = list(located(tool));

export function toolActionsOf(tools: readonly WrittenTool[]): readonly ToolAction[] {
  return tools.flatMap(({ name, action }) => (action === null ? [] : [{ name, action }]));
}

function count(max: number): Shape<number> {
  return number({ isInteger: true, min: 1, max, expected: `a whole number from 1 to ${max}` });
}

export const turnShape: Shape<TurnLimits> = refine(
  record(
    {
      max_rounds: optional(count(LIMITS.turnRoundsMax), "Model calls at most.", { default: LIMITS.turnRoundsDefault }),
      max_tool_calls: optional(count(LIMITS.turnToolCallsMax), "Tool calls at most, denied ones included.", {
        default: LIMITS.turnToolCallsDefault,
      }),
      max_repeats: optional(count(LIMITS.turnRepeatsMax), "Calls of one tool with the same args at most.", {
        default: LIMITS.turnRepeatsDefault,
      }),
    },
    { title: "turn" },
  ),
  (raw) => ({
    maxRounds: raw.max_rounds ?? null,
    maxToolCalls: raw.max_tool_calls ?? null,
    maxRepeats: raw.max_repeats ?? null,
  }),
);
