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
        .describe("Nodes it depends on that need not succeed, and how they must have ended"),
      join: z
        .object({ count, isRace: z.boolean() })
        .optional()
        .describe("So many of them are enough; absent: all are waited for"),
      label: z.string().describe("What people call it; the id when the author did not say"),
      phase: z.string().nullable(),
    }),
  ),
  layers: z.array(z.array(z.string())),
};
export const planSchema = z.object({
  ...graph,
  blocks: z.record(z.string(), z.object(graph)).optional().describe("The blocks of the file, by path"),
});
export type PlanDescription = Answered<typeof planSchema>;

const FORMATS = ["lobsterx", "lens-graph/v1"] as const;
export const validateBody = z.strictObject({ source: z.string(), format: z.enum(FORMATS).optional() });

export const validationSchema = z.object({
  ok: z.boolean(),
  problems: z.array(sentProblemSchema),
  warnings: z.array(sentProblemSchema),
  definitionHash: z.string().optional().describe("Of the canonical definition, when it is valid"),
  plan: planSchema.optional(),
});
export type Validation = Answered<typeof validationSchema>;

export const workflowStatusSchema = z.enum(WORKFLOW_STATUSES);
export type { WorkflowStatus };

const ORIGINS = ["file", "code"] as const;

const versionHead = {
  name: z.string(),
  version: z.number().int().positive(),
  hash: z.string().describe("Of the text"),
  definitionHash: z
    .string()
    .nullable()
    .describe(
      "Of the canonical definition: the same for a file and for code that say the same. Null: saved before it was kept",
    ),
  format: z.string(),
  origin: z.enum(ORIGINS).describe("Whether it was written as a file, or in code that made one"),
};

export const savedWorkflowSchema = z.object({ ...versionHead, warnings: z.array(sentProblemSchema) });
export type SavedWorkflow = Answered<typeof savedWorkflowSchema>;

export const workflowSchema = z.object({
  ...versionHead,
  status: workflowStatusSchema,
  posture: z.enum(POSTURES).describe("How far it may go by itself"),
  exposed: z.boolean().describe("Over MCP"),
  savedAt: moment,
  paused: pauseSchema
    .nullable()
    .describe("Its runs are paused with it; null: they are not, whatever its status says of new ones"),
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
  origin: z.enum(ORIGINS).optional().describe("How the source was made. Default: file"),
});
export const statusBody = z.strictObject({ status: workflowStatusSchema });
