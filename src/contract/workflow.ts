/** Workflows: their definitions, versions and plans. */
import { z } from "zod";
import { WORKFLOW_STATUSES, type WorkflowStatus } from "../core/event/index.ts";
import { POSTURES } from "../core/governance/index.ts";
import { type Answered, count, moment } from "./field.ts";
import { pauseSchema } from "./pause.ts";
import { sentProblemSchema } from "./problem.ts";

const graph = {
  name: z.string(),
  format: z.string(),
  nodes: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      dependsOn: z.array(z.string()),
      dependents: z.array(z.string()),
      wave: count,
      outcomes: z
        .record(z.string(), z.enum(["failure", "settled"]))
        .optional()
        .describe("Required outcome of the nodes in `dependsOn` that need not succeed"),
      join: z
        .object({ count, isRace: z.boolean() })
        .optional()
        .describe("Number of parents that have to end as required. Absent: all"),
      label: z.string().describe("Display name; the id when the author set none"),
      phase: z.string().nullable(),
    }),
  ),
  layers: z.array(z.array(z.string())),
};
export const planSchema = z.object({
  ...graph,
  blocks: z.record(z.string(), z.object(graph)).optional().describe("Blocks of the file, by path"),
});
export type PlanDescription = Answered<typeof planSchema>;

const FORMATS = ["lobsterx", "lens-graph/v1"] as const;
export const validateBody = z.strictObject({ source: z.string(), format: z.enum(FORMATS).optional() });

export const validationSchema = z.object({
  ok: z.boolean(),
  problems: z.array(sentProblemSchema),
  warnings: z.array(sentProblemSchema),
  definitionHash: z
    .string()
    .optional()
    .describe("Hash of the canonical definition; absent when the definition is invalid"),
  plan: planSchema.optional(),
});
export type Validation = Answered<typeof validationSchema>;

export const workflowStatusSchema = z.enum(WORKFLOW_STATUSES);
export type { WorkflowStatus };

const ORIGINS = ["file", "code"] as const;

const versionHead = {
  name: z.string(),
  version: z.number().int().positive(),
  hash: z.string().describe("Hash of the text"),
  definitionHash: z
    .string()
    .nullable()
    .describe(
      "Hash of the canonical definition, the same for a file and for code with the same content. Null for versions saved before it was stored",
    ),
  format: z.string(),
  origin: z.enum(ORIGINS).describe("Whether the text was written as a file or made by code"),
};

export const savedWorkflowSchema = z.object({ ...versionHead, warnings: z.array(sentProblemSchema) });
export type SavedWorkflow = Answered<typeof savedWorkflowSchema>;

export const workflowSchema = z.object({
  ...versionHead,
  status: workflowStatusSchema,
  posture: z.enum(POSTURES).describe("Level of autonomy of the workflow"),
  exposed: z.boolean().describe("Whether the workflow is available over MCP"),
  savedAt: moment,
  paused: pauseSchema.nullable().describe("Pause of all runs of the workflow; null when they are not paused"),
});
export type Workflow = Answered<typeof workflowSchema>;

export const versionSchema = z.object({
  ...versionHead,
  savedAt: moment,
  source: z.string(),
  plan: planSchema.nullable(),
});
export type Version = Answered<typeof versionSchema>;

export const sourceBody = z.strictObject({
  source: z.string(),
  origin: z.enum(ORIGINS).optional().describe("Whether the text was written as a file or made by code. Default: file"),
});
export const statusBody = z.strictObject({ status: workflowStatusSchema });
