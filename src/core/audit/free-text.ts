import { getOwn, withOwn } from "../base/index.ts";
import type { AuditEntry, AuditType } from "./entry.ts";

/** Types of entries whose `reason` may have been written by a person. */
const WRITTEN_BY_PEOPLE: ReadonlySet<AuditType> = new Set([
  "run.finished",
  "run.paused",
  "run.resumed",
  "node.failed",
  "approval.answered",
  "approval.revised",
  "approval.refused",
  "approval.resolved",
]);

const HASHED = "hmac-sha256:";

export interface FreeText {
  /** The key under which the salt of the text is stored: the run, otherwise the resource of the entry. */
  readonly subject: string;
  readonly text: string;
}

/** Returns the text written by a person in an entry. Null when there is none. */
export function freeTextOf({
  type,
  detail,
  run,
  resource,
}: Pick<AuditEntry, "type" | "detail" | "run" | "resource">): FreeText | null {
  const text = WRITTEN_BY_PEOPLE.has(type) ? getOwn(detail, "reason") : undefined;
  if (typeof text !== "string" || text === "" || text.startsWith(HASHED)) return null;
  return { subject: run ?? resource, text };
}

/** Returns the entry to seal: the text written by a person is replaced by its keyed hash in hexadecimal. */
export function withTextHashed(entry: AuditEntry, hmac: string): AuditEntry {
  return { ...entry, detail: withOwn(entry.detail, "reason", `${HASHED}${hmac}`) };
}
