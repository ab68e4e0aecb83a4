import type { AuditEntry } from "../core/audit/index.ts";
import type { PauseFact } from "../core/event/index.ts";

/** Paused workflows and organisations. The pause of a single run is a fact of its log instead. */
export interface PauseStore {
  /** Pauses by workflow name; the key `WHOLE_ORGANISATION` has the pause of the whole organisation. */
  pausesOf(orgId: string): Promise<ReadonlyMap<string, PauseFact>>;
  /** Pauses a workflow or the organisation. An existing pause stays unchanged. A paused workflow is no longer active. False if unknown. */
  pause(orgId: string, workflow: string | null, pause: PauseFact, audit?: readonly AuditEntry[]): Promise<boolean>;
  /** Resumes; a workflow becomes active again. Returns false when the workflow does not exist. */
  resume(orgId: string, workflow: string | null, audit?: readonly AuditEntry[]): Promise<boolean>;
  /** Returns ids of open runs of a workflow, or of all, including those of blocks, in order, after a given id. */
  openRunsOf(orgId: string, workflow: string | null, after: string, limit: number): Promise<readonly string[]>;
}

export const WHOLE_ORGANISATION = "";
