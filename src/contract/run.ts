/** Starting, listing, restarting and branching runs. */
import { z } from "zod";
import { PRIORITIES, RUN_STATUSES, WAITING_FOR } from "../core/event/index.ts";
import { LIMITS } from "../core/base/index.ts";
import { LABEL_NAME } from "../core/definition/index.ts";
import { type Answered, type Asked, count, json, jsonObject, micros, moment, versionNumber, word } from "./field.ts";
import { erasedSchema } from "./erasure.ts";
import { filterText, pageQuery } from "./page.ts";
import { runPauseSchema } from "./pause.ts";
import { sentProblemSchema } from "./problem.ts";

const LABELS_MAX = LIMITS.labelsMax;
const labelText = z
  .union([
    z
      .string()
      .regex(/^[^\p{Cc}\p{Surrogate}]*$/u, "Invalid text: printable characters only")
      .min(1)
      .max(LIMITS.labelTextLengthMax),
    z.number(),
    z.boolean(),
  ])
  .transform(String);
const labelsSchema = z
  .record(
    z.string().regex(LABEL_NAME, "Invalid name: letters, digits, _, . or -, at most 63, a letter first"),
    labelText,
  )
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `At most ${LABELS_MAX} labels`)
  .describe("By which the run is found, besides what its workflow writes: name → text");

export const startBody = z.strictObject({
  workflow: word,
  version: versionNumber.optional(),
  args: jsonObject.optional(),
  model: word.optional(),
  gateway: word.optional(),
  roleBindings: z.record(word, word).optional().describe("Role → agent"),
  team: word.optional(),
  labels: labelsSchema.optional(),
  priority: z.enum(PRIORITIES).optional().describe("Default: that of the workflow, which is normal unless it says"),
  recovery: z.strictObject({ max: z.number().int().min(0).max(100) }).optional(),
});
export type Start = Asked<typeof startBody>;

/** The longest time a start request may wait for the end of its run. */
const WAIT_SECONDS_MAX = 30;

export const startQuery = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(WAIT_SECONDS_MAX)
    .optional()
    .describe("Seconds to wait for the end of the run, whose outputs are then in the answer"),
});

/** A label in the query of a list. */
const labelFilter = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,62}:[^\p{Cc}\p{Surrogate}]{1,200}$/u, "Invalid label: write it as name:text");
const dollars = z.coerce.number().min(0).max(1_000_000_000);
const searchText = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}]{1,500}$/u, "Invalid text: at most 500 printable characters");

export const runsQuery = pageQuery.extend({
  status: z.enum(RUN_STATUSES).optional(),
  workflow: filterText.optional(),
  version: z.coerce.number().int().min(1).max(2_147_483_647).optional(),
  parent: filterText.optional(),
  waiting_for: z.enum(WAITING_FOR).optional(),
  trigger: filterText
    .optional()
    .describe(
      "What started it: api, schedule, hook, event, form, mcp, parent, …; or which: trigger:NAME, schedule:NAME",
    ),
  agent: filterText.optional().describe("An agent that worked on one of its nodes"),
  model: filterText.optional().describe("A model that was asked for one of its nodes"),
  label: z.array(labelFilter).max(LABELS_MAX).optional().describe("customer:4711; several: all of them"),
  error: filterText.optional().describe("The code it ended with"),
  min_cost: dollars.optional().describe("US dollars it has cost, at least"),
  max_cost: dollars.optional().describe("US dollars it has cost, at most"),
  min_duration: filterText.optional().describe("Seconds it took, or 90s, 5m, 2h; at least"),
  max_duration: filterText.optional().describe("Seconds it took, or 90s, 5m, 2h; at most"),
  since: filterText.optional().describe("Created at or after this moment, or so long ago: 2026-11-17, 7d"),
  until: filterText.optional().describe("Created before this moment"),
  q: searchText
    .optional()
    .describe("Words in args, outputs, errors, labels, ids and names; wor* for all that begin so"),
});
export type RunsQuery = Answered<typeof runsQuery>;

export const runSchema = z.object({
  id: z.string(),
  workflow: z.string(),
  version: z.number().int().nullable(),
  hash: z.string(),
  status: z.enum(RUN_STATUSES),
  args: jsonObject,
  trigger: z.string(),
  model: z.string().nullable(),
  gateway: z.string().nullable(),
  roleBindings: z.record(z.string(), z.string()),
  priority: z.enum(PRIORITIES).describe("Within an organisation, high goes first"),
  team: z.string().optional().describe("The team it was started with"),
  labels: z.record(z.string(), z.string()).describe("By which it is found"),
  traceId: z.string(),
  rootSpanId: z.string(),
  parentRunId: z.string().optional(),
  /** Path of the block in the workflow that this run executes. Absent when it executes the workflow itself. */
  block: z.string().optional(),
  sourceRunId: z.string().optional().describe("The run this one was restarted or branched from"),
  recursionDepth: count,
  epoch: count,
  createdAt: moment,
  startedAt: moment.optional(),
  completedAt: moment.optional(),
  costMicros: micros,
  lastEventId: count,
  waitingFor: z.enum(WAITING_FOR).nullable().describe("What it waits for; null: it does not wait, or has ended"),
  error: z
    .object({ code: z.string().nullable(), message: z.string() })
    .optional()
    .describe("Of a run that has ended without completing: why, in a line"),
  paused: runPauseSchema.nullable().describe("Nothing of it begins until it is resumed; null: it is not paused"),
  outputs: jsonObject
    .optional()
    .describe(
      "Of a run that has completed, where one run is shown: the outputs of the document, else of its last nodes",
    ),
  erased: erasedSchema.optional().describe("Where one run is shown: its content was taken out"),
  warnings: z
    .array(sentProblemSchema)
    .optional()
    .describe("Only when it has just been started: what newer checks would refuse in a version that was saved before"),
});
export type Run = Answered<typeof runSchema>;

const keptNodes = {
  carriedOver: z.array(z.string()).describe("Nodes and instances whose results are kept, in the order of the log"),
  runsAgain: z.array(z.string()).describe("Nodes that run again, in plan order"),
};

/** The nodes that a branch would keep. */
export const branchPreviewSchema = z.object(keptNodes);
export type BranchPreview = Answered<typeof branchPreviewSchema>;

/** A restarted or branched run. */
export const relaunchedSchema = runSchema.extend({
  ...keptNodes,
  continues: z
    .object({ nodeId: z.string(), rounds: count.describe("Rounds that are kept, and not paid for again") })
    .optional()
    .describe("The node whose turn is continued, where the run was branched inside one"),
});
export type Relaunched = Answered<typeof relaunchedSchema>;

const REASON_LENGTH_MAX = 2_000;
const eventId = z.number().int().min(1);
const ARGS_MAX = 100;
const origin = z.strictObject({ runId: word, nodeId: word, output: z.string().min(1).max(500) });

export const inputsFromSchema = z
  .record(word, origin)
  .refine((inputs) => Object.keys(inputs).length <= ARGS_MAX, `At most ${ARGS_MAX} args`)
  .describe("Args to be taken from outputs of other runs of the organisation");
/** Args of a new run, each mapped to the output of another run from which it is copied. */
export type InputsFrom = Asked<typeof inputsFromSchema>;

export const reasonBody = z.strictObject({ reason: z.string().max(REASON_LENGTH_MAX).optional() });
export const restartBody = z.strictObject({ fromNode: word.optional() });
export const rewindBody = z.strictObject({ eventId });
const WORDS_LENGTH_MAX = 1_000_000;
const branchEditSchema = z.union([
  z.strictObject({ message: z.string().max(WORDS_LENGTH_MAX).describe("What the model said in that round instead") }),
  z.strictObject({
    callId: word.describe("A call of that round"),
    result: json.describe("What it returned instead"),
    isError: z.boolean().optional().describe("It failed, and the result says how"),
  }),
]);
export type BranchEdit = Asked<typeof branchEditSchema>;

const prompt = z.string().max(WORDS_LENGTH_MAX);
const editsOfNodes = {
  prompts: z
    .record(word, prompt)
    .optional()
    .describe("By node, what it is asked instead, as it is sent; it and all that depends on it run again"),
  outputs: z
    .record(word, jsonObject)
    .optional()
    .describe("By node that completed, what it is taken to have returned; all that depends on it runs again"),
};
/** Edits by a person: prompts of nodes, or outputs of completed nodes. */
export type NodeEdits = Asked<z.ZodObject<typeof editsOfNodes>>;

export const branchPointSchema = z.strictObject({
  node: word,
  round: count.describe("The last round that is kept, counted from 0; every call of it has an outcome"),
  edit: branchEditSchema.optional().describe("One thing of that round that is to be different"),
  prompt: prompt.optional().describe("What the node is asked instead of what it was asked, as it is sent"),
});
export type BranchPoint = Asked<typeof branchPointSchema>;

export const branchBody = z
  .strictObject({
    eventId: eventId.optional(),
    args: jsonObject.optional(),
    inputsFrom: inputsFromSchema.optional(),
    ...editsOfNodes,
    turn: branchPointSchema.optional().describe("In place of an event: a round inside the turn of a node"),
  })
  .superRefine(({ eventId: at, turn, ...changes }, context) => {
    const isOne = (at === undefined) !== (turn === undefined);
    if (!isOne) context.addIssue({ code: "custom", path: ["eventId"], message: "Give either eventId or turn" });
    if (turn === undefined) return;
    for (const name of ["args", "inputsFrom", "prompts", "outputs"] as const) {
      if (changes[name] === undefined) continue;
      context.addIssue({ code: "custom", path: [name], message: NOT_IN_TURN[name] });
    }
  });
const WITH_ITS_ARGS = "A turn is continued with the args it had";
const NOT_IN_TURN = {
  args: WITH_ITS_ARGS,
  inputsFrom: WITH_ITS_ARGS,
  prompts: "What the node of a turn is asked stands in turn.prompt",
  outputs: "A turn is continued with what the nodes before it returned",
};
export const branchPreviewBody = z.strictObject({
  eventId,
  args: jsonObject.optional(),
  inputsFrom: inputsFromSchema.optional(),
  ...editsOfNodes,
});
export const resolveBody = z.strictObject({ assignTo: word.optional(), values: jsonObject.optional() });
