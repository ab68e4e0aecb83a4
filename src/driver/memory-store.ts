import type { OpenApproval } from "../core/engine/index.ts";
import type { RunEvent } from "../core/event/index.ts";

/** The append-only log of each run, and the approvals nobody has answered yet. */
export class MemoryStore {
  readonly #logs = new Map<string, RunEvent[]>();
  readonly #approvals = new Map<string, PendingApproval>();

  append(runId: string, events: readonly RunEvent[]): void {
    let log = this.#logs.get(runId);
    if (log === undefined) this.#logs.set(runId, (log = []));
    for (const event of events) log.push(event);
  }

  logOf(runId: string): readonly RunEvent[] {
    return this.#logs.get(runId) ?? [];
  }

  openApproval(approval: PendingApproval): void {
    this.#approvals.set(approval.approvalId, approval);
  }

  closeApproval(approvalId: string): void {
    this.#approvals.delete(approvalId);
  }

  approval(approvalId: string): PendingApproval | undefined {
    return this.#approvals.get(approvalId);
  }

  /** Oldest first. */
  pendingApprovals(): readonly PendingApproval[] {
    return [...this.#approvals.values()];
  }
}

export interface PendingApproval extends OpenApproval {
  readonly runId: string;
  readonly workflow: string;
}
