import { randomUUID } from "node:crypto";

let appended = 0;

/** Returns a unique id. Entries that one process appends within a millisecond stay in order. */
export function appendedAuditId(): string {
  appended += 1;
  return `${String(appended).padStart(12, "0")}/${randomUUID()}`;
}

const VERSION_DIGITS = 9;

/** Returns the id of a commit's audit entries. Every commit of a run has its own version, and ids sort by version. */
export function committedAuditId(runId: string, rowVersion: number): string {
  return `${runId}/${String(rowVersion).padStart(VERSION_DIGITS, "0")}`;
}

/** Returns the run in the id of a commit's audit entries. */
export function runOfAuditId(id: string): string {
  return id.slice(0, -(VERSION_DIGITS + 1));
}
