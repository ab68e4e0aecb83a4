import { LIMITS } from "../base/index.ts";
import type { Phase, Role } from "./definition.ts";
import { concurrencyShape } from "./concurrency-shape.ts";
import { nestedSteps } from "./block-shape.ts";
import { completionField, DOCUMENT_HEAD } from "./document-shape.ts";
import { argField } from "./field-shape.ts";
import { DOCUMENT_WORDS } from "./foreign-word.ts";
import { spellableName } from "./identifier.ts";
import { mandatory, optional, record, type Reading } from "./record.ts";
import { anyText, byKind, choice, list, located, mapOf, refine, type Shape } from "./shape.ts";
import { runOutputs } from "./run-output.ts";
import { stepShape } from "./step-shape.ts";
import { givenName } from "./text-shape.ts";

const argName = spellableName("an arg");

const role: Shape<Role> = refine(
  record(
    {
      description: optional(anyText, "Purpose of the role."),
      required_skills: optional(list(givenName), "Skills that an agent in this role must have."),
      agent: optional(givenName, "Agent that takes the role when no other binding applies."),
    },
    { title: "a role" },
  ),
  (raw) => ({
    description: raw.description ?? null,
    requiredSkills: raw.required_skills ?? [],
    agent: raw.agent ?? null,
  }),
);

/** `analyst:` without a value declares the role without details. */
const roleOrNothing: Shape<Role> = byKind("a map", {
  map: role,
  empty: { read: () => ({ description: null, requiredSkills: [], agent: null }), schema: { type: "null" } },
});

const phase: Shape<Phase> = byKind("a phase id or a map", {
  text: refine(givenName, (id) => ({ id, name: id })),
  map: refine(
    record(
      {
        id: mandatory(givenName, "Id of the phase, used by steps."),
        name: optional(anyText, "Display name of the phase."),
      },
      { title: "a phase" },
    ),
    (raw) => (raw.id === undefined ? undefined : { id: raw.id, name: raw.name ?? raw.id }),
  ),
});

export const LOBSTER_FORMAT = "lobsterx";

const LOBSTER = {
  format: optional(
    choice([LOBSTER_FORMAT]),
    "Identifier of the format, to distinguish the file from lens graphs. Optional.",
    {
      default: LOBSTER_FORMAT,
    },
  ),
  ...DOCUMENT_HEAD,
  completion: completionField("strict"),
  args: optional(mapOf(argField, argName), "Args of a run: name → type and limits, or a bare default."),
  roles: optional(mapOf(roleOrNothing, givenName), "Roles that steps refer to."),
  phases: optional(list(located(phase)), "Groups of steps, for display."),
  outputs: optional(
    runOutputs,
    "Outputs of the run: name → value, or a map with value and type. Default: the outputs of its last steps.",
  ),
  concurrency: optional(concurrencyShape, "Limits the number of open runs with the same key."),
  steps: mandatory(
    list(located(stepShape), { isFilled: true, limit: { max: LIMITS.nodesMax, code: "too_many_steps" } }),
    "Steps of the workflow.",
  ),
  finally: optional(
    nestedSteps(() => stepShape),
    "Steps that run after all steps have settled, however the run ends. They read run.outcome and run.error.",
  ),
};

export const lobsterShape = record(LOBSTER, {
  title: "a workflow",
  foreign: DOCUMENT_WORDS,
  description: "A workflow of steps, written as YAML or JSON.",
});
export type RawLobster = Reading<typeof LOBSTER>;
