/** Erasure of personal content from stored data. */
import { z } from "zod";
import { AUDIT_TYPES } from "../core/audit/index.ts";
import { type Answered, type Asked, count, moment } from "./field.ts";

const SUBJECT_LENGTH_MAX = 1_024;

export const erasureBody = z.strictObject({
  subject: z
    .string()
    .min(1)
    .max(SUBJECT_LENGTH_MAX)
    .describe('A condition on args, labels or run that says whose runs are meant: args.customer == "4711"'),
  dryRun: z.boolean().optional().describe("Only say what would be erased"),
});
export type ErasureRequest = Asked<typeof erasureBody>;

const ids = z.array(z.string());

export const erasureSchema = z.object({
  dryRun: z.boolean(),
  runs: ids.describe(
    "Runs that were erased, or would be: those that match, their families, and runs started from them",
  ),
  already: ids.describe("Runs that were erased before"),
  open: ids.describe(
    "Runs that have not ended, and approvals of launches without an answer: they were left as they are",
  ),
  undecided: ids.describe("Runs the condition could not be decided for, and were left as they are"),
  archives: ids.describe("Runs whose archives were written again without content"),
  launches: ids.describe("Approvals of launches that match, or that let one of the runs begin"),
  sealed: z
    .array(z.object({ seq: count, type: z.enum(AUDIT_TYPES), run: z.string() }))
    .describe("Audit records that were sealed with what a person wrote, before such texts were kept apart"),
  outOfReach: z.array(z.string()).describe("What has left the system and cannot be taken back"),
});
export type Erasure = Answered<typeof erasureSchema>;

/** The erasure of one run. */
export const erasedSchema = z.object({
  at: moment,
  by: z.string(),
  sha256: z.string().describe("Of the log as it was"),
});
