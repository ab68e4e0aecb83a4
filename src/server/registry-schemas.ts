/** What is registered, as it goes over the wire. */
import { z } from "zod";
import { POSTURES } from "../core/governance/index.ts";
import { WORKFLOW_STATUSES } from "../store/index.ts";

export const workflowSettings = {
  status: z.enum(WORKFLOW_STATUSES),
  posture: z.enum(POSTURES).describe("How far it may go by itself"),
  exposed: z.boolean().describe("Over MCP"),
};

const moment = z.iso.datetime().nullable().describe("ISO 8601, UTC; null for what is built in");

export const entrySchema = z
  .looseObject({
    id: z.string(),
    revision: z.number().int().nonnegative().describe("Counts changes; 0 for what is built in"),
    createdAt: moment,
    updatedAt: moment,
  })
  .describe("Beside these, what its manifest says, in camelCase; what is write-only is not shown");

export const platformSchema = z.object({ open: z.boolean(), reason: z.string().nullable() });

const problem = z.object({
  code: z.string(),
  message: z.string(),
  path: z.string(),
  line: z.number().int().optional(),
  column: z.number().int().optional(),
  hint: z.string().optional(),
});

export const appliedSchema = z.object({
  applied: z.array(
    z.object({
      kind: z.string(),
      name: z.string(),
      action: z.enum(["created", "updated", "unchanged", "invalid"]),
      diff: z.string().optional().describe("Line by line, as diff -u shows it"),
      problems: z.array(problem).optional(),
    }),
  ),
});
