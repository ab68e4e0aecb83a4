/** Starting, listing, restarting and branching runs. */
import { z } from "zod";
import { PRIORITIES, RUN_STATUSES, WAITING_FOR } from "../core/event/index.ts";
import { LIMITS } from "../core/base/index.ts";
import { LABEL_NAME } from "../core/definition/index.ts";
import { type Answered, type Asked, count, json, jsonObject, micros, moment, versionNumber, word } from "./field.ts";
import { erasedSchema } from "./erasure.ts";
import { filterText, pageQuery, queryNumber } from "./page.ts";
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
  .describe("Labels of the run, in addition to those of its workflow: name → text");

export const startBody = z.strictObject({
  workflow: word,
  version: versionNumber.optional(),
  args: jsonObject.optional(),
  model: word.optional(),
  gateway: word.optional(),
  roleBindings: z.record(word, word).optional().describe("Agent for each role: role → agent"),
  team: word.optional(),
  labels: labelsSchema.optional(),
  priority: z
    .enum(PRIORITIES)
    .optional()
    .describe("Priority of the run. Default: the priority of the workflow, or normal"),
  recovery: z.strictObject({ max: z.number().int().min(0).max(100) }).optional(),
});
export type Start = Asked<typeof startBody>;

/** The longest time a start request may wait for the end of its run. */
const WAIT_SECONDS_MAX = 30;

export const startQuery = z.object({
  wait: queryNumber(z.coerce.number().int().min(0).max(WAIT_SECONDS_MAX))
    .optional()
    .describe("Seconds to wait for the end of the run. If it ends in time, the answer contains its outputs"),
});

/** A label in the query of a list. */
const labelFilter = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,62}:[^\p{Cc}\p{Surrogate}]{1,200}$/u, "Invalid label: write it as name:text");
const dollars = queryNumber(z.coerce.number().min(0).max(1_000_000_000));
const searchText = z
  .string()
  .regex(/^[^\p{Cc}\p{Surrogate}]{1,500}$/u, "Invalid text: at most 500 printable characters");

export const runsQuery = pageQuery.extend({
  status: z.enum(RUN_STATUSES).optional(),
  workflow: filterText.optional(),
  version: queryNumber(z.coerce.number().int().min(1).max(2_147_483_647)).optional(),
  parent: filterText.optional(),
  waiting_for: z.enum(WAITING_FOR).optional(),
  trigger: filterText
    .optional()
    .describe(
      "Source of the start: api, schedule, hook, event, form, mcp, parent, …; or one trigger or schedule: trigger:NAME, schedule:NAME",
    ),
  agent: filterText.optional().describe("Agent that worked on one of the nodes"),
  model: filterText.optional().describe("Model that was called for one of the nodes"),
  label: z
    .array(labelFilter)
    .max(LABELS_MAX)
    .optional()
    .describe("Label of the run: customer:4711. With several labels, a run must have all of them"),
  error: filterText.optional().describe("Error code of the run"),
  min_cost: dollars.optional().describe("Minimum cost in US dollars"),
  max_cost: dollars.optional().describe("Maximum cost in US dollars"),
  min_duration: filterText.optional().describe("Minimum duration: seconds, or 90s, 5m, 2h"),
  max_duration: filterText.optional().describe("Maximum duration: seconds, or 90s, 5m, 2h"),
  since: filterText
    .optional()
    .describe("Selects runs created at or after this time, or within this duration: 2026-11-17, 7d"),
  until: filterText.optional().describe("Selects runs created before this time"),
  q: searchText
    .optional()
    .describe("Words in args, outputs, errors, labels, ids and names. wor* matches all words with this beginning"),
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
  priority: z.enum(PRIORITIES).describe("Order among the runs of an organisation: high, normal, low"),
  team: z.string().optional().describe("Team the run was started with"),
  labels: z.record(z.string(), z.string()).describe("Labels by which the run can be found"),
  traceId: z.string(),
  rootSpanId: z.string(),
  parentRunId: z.string().optional(),
  /** Path of the block in the workflow that this run executes. Absent when it executes the workflow itself. */
  block: z.string().optional(),
  sourceRunId: z.string().optional().describe("Run from which this one was restarted or branched"),
  recursionDepth: count,
  epoch: count,
  createdAt: moment,
  startedAt: moment.optional(),
  completedAt: moment.optional(),
  costMicros: micros,
  lastEventId: count,
  waitingFor: z
    .enum(WAITING_FOR)
    .nullable()
    .describe("What the run waits for; null when it does not wait or has ended"),
  error: z
    .object({ code: z.string().nullable(), message: z.string() })
    .optional()
    .describe("Error of a run that ended without completing"),
  paused: runPauseSchema
    .nullable()
    .describe("The pause, during which no new work of the run starts; null when the run is not paused"),
  outputs: jsonObject
    .optional()
    .describe(
      "Outputs of a completed run: those of the document, or else of its last nodes. Only in the answer for a single run",
    ),
  erased: erasedSchema.optional().describe("Erasure of the content. Only in the answer for a single run"),
  warnings: z
    .array(sentProblemSchema)
    .optional()
    .describe("Problems that newer checks find in a version saved earlier. Only in the answer to a start"),
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
    .object({ nodeId: z.string(), rounds: count.describe("Number of rounds that are kept and not paid for again") })
    .optional()
    .describe("Node whose turn continues, when the branch starts inside a turn"),
});
export type Relaunched = Answered<typeof relaunchedSchema>;

const REASON_LENGTH_MAX = 2_000;
const eventId = z.number().int().min(1);
const ARGS_MAX = 100;
const origin = z.strictObject({ runId: word, nodeId: word, output: z.string().min(1).max(500) });

export const inputsFromSchema = z
  .record(word, origin)
  .refine((inputs) => Object.keys(inputs).length <= ARGS_MAX, `At most ${ARGS_MAX} args`)
  .describe("Args copied from outputs of other runs of the organisation");
/** Args of a new run, each mapped to the output of another run from which it is copied. */
export type InputsFrom = Asked<typeof inputsFromSchema>;

export const reasonBody = z.strictObject({ reason: z.string().max(REASON_LENGTH_MAX).optional() });
export const restartBody = z.strictObject({ fromNode: word.optional() });
export const rewindBody = z.strictObject({ eventId });
const WORDS_LENGTH_MAX = 1_000_000;
const branchEditSchema = z.union([
  z.strictObject({ message: z.string().max(WORDS_LENGTH_MAX).describe("New text of the model in that round") }),
  z.strictObject({
    callId: word.describe("Id of a call in that round"),
    result: json.describe("New result of the call"),
    isError: z.boolean().optional().describe("Whether the call failed, with the result as its error"),
  }),
]);
export type BranchEdit = Asked<typeof branchEditSchema>;

const prompt = z.string().max(WORDS_LENGTH_MAX);
const editsOfNodes = {
  prompts: z
    .record(word, prompt)
    .optional()
    .describe("New prompt for each node, exactly as it is sent. The node and all nodes that depend on it run again"),
  outputs: z
    .record(word, jsonObject)
    .optional()
    .describe("New outputs for each completed node. All nodes that depend on it run again"),
};
/** Edits by a person: prompts of nodes, or outputs of completed nodes. */
export type NodeEdits = Asked<z.ZodObject<typeof editsOfNodes>>;

export const branchPointSchema = z.strictObject({
  node: word,
  round: count.describe("Number of the last round that is kept, counted from 0. All its calls must have an outcome"),
  edit: branchEditSchema.optional().describe("One change to that round"),
  prompt: prompt.optional().describe("New prompt of the node, exactly as it is sent"),
});
export type BranchPoint = Asked<typeof branchPointSchema>;

export const branchBody = z
  .strictObject({
    eventId: eventId.optional(),
    args: jsonObject.optional(),
    inputsFrom: inputsFromSchema.optional(),
    ...editsOfNodes,
    turn: branchPointSchema.optional().describe("Start inside the turn of a node, in place of an event"),
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
