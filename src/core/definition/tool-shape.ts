/** `tools` and `turn` of a step: the tools an agent may call, and the limits of its turn. */
import { type JsonObject, LIMITS, type TreePath } from "../base/index.ts";
import { type Action, ACTIONS, type ToolAction, type TurnLimits } from "./definition.ts";
import { isWritten, mandatory, optional, record } from "./record.ts";
import type { Report } from "./report.ts";
import { anyJson, byKind, choice, list, located, mapOf, number, refine, type Shape, word } from "./shape.ts";
import { type StepTool, WORKFLOW_TOOL } from "./step-tool.ts";
import { givenName, workflowRef } from "./text-shape.ts";
import { scriptShape, type Written } from "./work-shape.ts";

/** A tool as written. `action` is null when the step does not declare it. `own` is null when an adapter provides the tool. */
export interface WrittenTool {
  readonly name: string;
  readonly action: Action | null;
  readonly own: StepTool | null;
}

/** The name of a step tool. It cannot contain the characters used for servers and patterns. */
const scriptName = word({
  expected: "a name of at most 64 letters, digits, _ and -, a letter first",
  code: "bad_name",
  pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
});

const toolName: Shape<WrittenTool> = refine(givenName, (name, path, report) => {
  if (!name.startsWith(WORKFLOW_TOOL)) return { name, action: null, own: null };
  const workflow = workflowRef.read(name.slice(WORKFLOW_TOOL.length), path, report);
  return workflow === undefined ? undefined : { name, action: null, own: { kind: "workflow", name, workflow } };
});

const parametersShape: Shape<JsonObject> = refine(mapOf(anyJson), (schema, path, report) => {
  if (schema["type"] === "object") return schema;
  const message = `"parameters" must be a JSON Schema of type object.`;
  report.problem("wrong_type", path, message, { hint: "Write {type: object, properties: {…}}." });
  return undefined;
});

const toolFields = record(
  {
    name: mandatory(givenName, "Name of the tool; * stands for any characters, workflow:NAME for a workflow."),
    action: optional(choice(ACTIONS), "Action of a call, for the autonomy check."),
    script: optional(scriptShape, "Code that runs when the tool is called. It reads the args as inputs."),
    parameters: optional(parametersShape, "With a script: JSON Schema of the args."),
    description: optional(givenName, "With a script: description of the tool for the model."),
  },
  { title: "a tool" },
);

const tool = byKind<WrittenTool>("a name, or a map with name and action", {
  text: toolName,
  map: {
    schema: toolFields.schema,
    read(value, path, report) {
      const raw = toolFields.read(value, path, report);
      return raw === undefined ? undefined : writtenTool(raw, isWritten(value, "action"), path, report);
    },
  },
});

interface RawTool {
  readonly name?: string | undefined;
  readonly action?: Action | undefined;
  readonly script?: Written | undefined;
  readonly parameters?: JsonObject | undefined;
  readonly description?: string | undefined;
}

function writtenTool(raw: RawTool, hasAction: boolean, path: TreePath, report: Report): WrittenTool | undefined {
  const { name, action = null, script, parameters, description = null } = raw;
  if (name === undefined) return undefined;
  if (script !== undefined) {
    const own = scriptName.read(name, [...path, "name"], report);
    if (own === undefined || script.work.kind !== "script") return undefined;
    const { code } = script.work;
    const schema = parameters ?? { type: "object" };
    return { name, action: action ?? "read", own: { kind: "script", name, description, code, parameters: schema } };
  }
  for (const field of ["parameters", "description"] as const) {
    if (raw[field] === undefined) continue;
    report.problem("conflicting_fields", [...path, field], `"${field}" of a tool goes with "script".`, {
      isAtKey: true,
      hint: "Remove it, or write the script.",
    });
  }
  const read = toolName.read(name, [...path, "name"], report);
  if (read === undefined) return undefined;
  if (!hasAction && read.own === null) {
    report.problem("missing_field", [...path, "action"], `"action" of the tool "${name}" is missing.`, {
      hint: `Write one of ${ACTIONS.join(", ")}, or the name alone.`,
    });
    return undefined;
  }
  return { ...read, action };
}

export const toolsShape = list(located(tool));

export function stepToolsOf(tools: readonly WrittenTool[]): readonly StepTool[] {
  return tools.flatMap(({ own }) => own ?? []);
}

export function toolActionsOf(tools: readonly WrittenTool[]): readonly ToolAction[] {
  return tools.flatMap(({ name, action }) => (action === null ? [] : [{ name, action }]));
}

function count(max: number): Shape<number> {
  return number({ isInteger: true, min: 1, max, expected: `a whole number from 1 to ${max}` });
}

export const turnShape: Shape<TurnLimits> = refine(
  record(
    {
      max_rounds: optional(count(LIMITS.turnRoundsMax), "Maximum number of model calls.", {
        default: LIMITS.turnRoundsDefault,
      }),
      max_tool_calls: optional(count(LIMITS.turnToolCallsMax), "Maximum number of tool calls, including denied ones.", {
        default: LIMITS.turnToolCallsDefault,
      }),
      max_repeats: optional(count(LIMITS.turnRepeatsMax), "Maximum number of calls of one tool with the same args.", {
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
