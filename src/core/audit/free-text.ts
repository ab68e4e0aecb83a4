import { getOwn, withOwn } from "../base/index.ts";
import type { AuditEntry, AuditType } from "./entry.ts";

/** Records whose `reason` was written by a person, or may have been. */
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
  /** What its salt is kept under: the run, else what the entry is about. */
  readonly subject: string;
  readonly text: string;
}

/** What people wrote in an entry; null: nothing. */
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

/** The entry as it is sealed: with the keyed hash of what people wrote, in hexadecimal, in place of it. */
export function withTextHashed(entry: AuditEntry, hmac: string): AuditEntry {
  return { ...entry, detail: withOwn(entry.detail, "reason", `${HASHED}${hmac}`) };
}
