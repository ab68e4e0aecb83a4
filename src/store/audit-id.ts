import { randomUUID } from "node:crypto";

let appended = 0;

/** Returns a unique id. Entries that one process appends within a millisecond stay in order. */
export function appendedAuditId(): string {
  appended += 1;
  return `${String(appended).padStart(12, "0")}/${randomUUID()}`;
}

/** Returns the id of a commit's audit entries. Every commit of a run has its own version, and ids sort by version. */
export function committedAuditId(runId: string, rowVersion: number): string {
  return `${runId}/${String(rowVersion).padStart(9, "0")}`;
}
