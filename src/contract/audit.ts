/** The audit log. */
import { z } from "zod";
import { AUDIT_CATEGORIES, AUDIT_TYPES } from "../core/audit/index.ts";
import { type Answered, count, jsonObject } from "./field.ts";
import { filterText, type PageOptions, pageQuery } from "./page.ts";

const hash = z.string().describe("SHA-256, hexadecimal");

const auditFilter = {
  type: z.enum(AUDIT_TYPES).optional(),
  category: z.enum(AUDIT_CATEGORIES).optional(),
  run: filterText.optional(),
};
export const auditQuery = pageQuery.extend(auditFilter);
const auditFilterSchema = z.object(auditFilter);
export type AuditFilter = PageOptions & Answered<typeof auditFilterSchema>;

/** One record of the audit chain. */
export const auditRecordSchema = z.object({
  seq: count,
  at: z.iso.datetime(),
  org: z.string(),
  category: z.enum(AUDIT_CATEGORIES),
  type: z.enum(AUDIT_TYPES),
  actor: z.string(),
  resource: z.string(),
  run: z.string().optional(),
  node: z.string().optional(),
  detail: jsonObject,
  reason: z
    .string()
    .optional()
    .describe(
      "Text written by a person, whose keyed hash is `detail.reason`. Absent when there is none or it was erased",
    ),
  prevHash: hash,
  hash,
});
export type AuditRow = Answered<typeof auditRecordSchema>;

/** The result of verifying the whole log. */
export const chainStateSchema = z.object({
  ok: z.boolean(),
  records: count.describe("Number of records that are present and valid"),
  checkpoints: count,
  lastSeq: count,
  key: z.string().nullable().describe("Public key of the signatures"),
  sealedSeq: count.describe("Number of the last sealed record"),
  checkpointSeq: count.describe("Number of the last record that a signed checkpoint covers"),
  firstBad: z
    .object({ what: z.string(), seq: count, line: count.describe("Line number in the export"), reason: z.string() })
    .optional(),
});
export type ChainState = Answered<typeof chainStateSchema>;

/** The head of a packet. The packet contains everything about a run. */
export const packetSchema = z.looseObject({ format: z.string() });
