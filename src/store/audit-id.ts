import { randomUUID } from "node:crypto";

let appended = 0;

/** A unique id; what one process appends within a millisecond stays in order. */
export function appendedAuditId(): string {
  appended += 1;
  return `${String(appended).padStart(12, "0")}/${randomUUID()}`;
}

/** The id of the audit entries of a run's commit: every commit has a version of its own, and ids sort as they do. */
export function committedAuditId(runId: string, rowVersion: number): string {
  return `${runId}/${String(rowVersion).padStart(9, "0")}`;
}
