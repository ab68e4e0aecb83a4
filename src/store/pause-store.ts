import type { AuditEntry } from "../core/audit/index.ts";
import type { PauseFact } from "../core/event/index.ts";

/** Workflows and organisations that are paused. What runs say of themselves is a fact of their logs. */
export interface PauseStore {
  /** By the name of the workflow; under `WHOLE_ORGANISATION`, everything of the organisation. */
  pausesOf(orgId: string): Promise<ReadonlyMap<string, PauseFact>>;
  /** One that is there stays as it is; a workflow is no longer active. False: there is no such workflow. */
  pause(orgId: string, workflow: string | null, pause: PauseFact, audit?: readonly AuditEntry[]): Promise<boolean>;
  /** A workflow is active again. False: there is no such workflow. */
  resume(orgId: string, workflow: string | null, audit?: readonly AuditEntry[]): Promise<boolean>;
  /** Ids of open runs of a workflow, or of all, those of blocks included; after one, in order. */
  openRunsOf(orgId: string, workflow: string | null, after: string, limit: number): Promise<readonly string[]>;
}

export const WHOLE_ORGANISATION = "";
