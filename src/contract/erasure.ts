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
  dryRun: z.boolean().optional().describe("Reports what would be erased, and erases nothing"),
});
export type ErasureRequest = Asked<typeof erasureBody>;

const ids = z.array(z.string());

export const erasureSchema = z.object({
  dryRun: z.boolean(),
  runs: ids.describe(
    "Runs that were erased, or would be with `dryRun`: the matching runs, their families, and runs started from them",
  ),
  already: ids.describe("Runs that were already erased"),
  open: ids.describe("Runs that have not ended, and approvals of launches without an answer. They are not erased"),
  undecided: ids.describe("Runs for which the condition could not be evaluated. They are not erased"),
  archives: ids.describe("Runs whose archives were rewritten without content"),
  launches: ids.describe("Approvals of launches that match, or that started one of the runs"),
  sealed: z
    .array(z.object({ seq: count, type: z.enum(AUDIT_TYPES), run: z.string() }))
    .describe(
      "Sealed audit records that contain text written by a person, from versions that did not store such text separately",
    ),
  outOfReach: z.array(z.string()).describe("Data that has left the system and cannot be erased"),
});
export type Erasure = Answered<typeof erasureSchema>;

/** The erasure of one run. */
export const erasedSchema = z.object({
  at: moment,
  by: z.string(),
  sha256: z.string().describe("SHA-256 of the original log"),
});
