import type { BranchPoint, BranchPreview, NodeEdits, Relaunched, Run } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { NEEDS } from "./answer-needs.ts";
import { AuditClient } from "./audit-client.ts";
import { encode } from "./query.ts";
import { type BranchOptions, idempotent, type StartOptions } from "./start-options.ts";

/** Part of the API for actions on an existing run. */
export class RunActionClient extends AuditClient {
  cancelRun(runId: string, reason?: string): Promise<Run> {
    return this.ask("POST", `/runs/${encode(runId)}/cancel`, { body: { reason } }, NEEDS.run);
  }

  restartRun(runId: string, fromNode?: string, options: StartOptions = {}): Promise<Relaunched> {
    const asked = { body: { fromNode }, headers: idempotent(options) };
    return this.ask("POST", `/runs/${encode(runId)}/restart`, asked, NEEDS.run);
  }

  rewindRun(runId: string, eventId: number): Promise<Run> {
    return this.ask("POST", `/runs/${encode(runId)}/rewind`, { body: { eventId } }, NEEDS.run);
  }

  branchRun(runId: string, eventId: number, args?: JsonObject, options: BranchOptions = {}): Promise<Relaunched> {
    const { inputsFrom, prompts, outputs } = options;
    const asked = { body: { eventId, args, inputsFrom, prompts, outputs }, headers: idempotent(options) };
    return this.ask("POST", `/runs/${encode(runId)}/branch`, asked, NEEDS.run);
  }

  /** Returns which nodes a branch would keep. Starts nothing. */
  previewBranch(
    runId: string,
    eventId: number,
    args?: JsonObject,
    { prompts, outputs }: NodeEdits = {},
  ): Promise<BranchPreview> {
    const body = { eventId, args, prompts, outputs };
    return this.ask("POST", `/runs/${encode(runId)}/branch/preview`, { body }, NEEDS.branchPreview);
  }

  /** Starts a new run that branches from inside the turn of a node, after one of its rounds. */
  branchInTurn(runId: string, turn: BranchPoint, options: StartOptions = {}): Promise<Relaunched> {
    const asked = { body: { turn }, headers: idempotent(options) };
    return this.ask("POST", `/runs/${encode(runId)}/branch`, asked, NEEDS.run);
  }

  recoverRun(runId: string, reason?: string): Promise<Run> {
    return this.ask("POST", `/runs/${encode(runId)}/recover`, { body: { reason } }, NEEDS.run);
  }

  resolveNode(runId: string, nodeId: string, given: { assignTo?: string; values?: JsonObject }): Promise<Run> {
    return this.ask("POST", `/runs/${encode(runId)}/nodes/${encode(nodeId)}/resolve`, { body: given }, NEEDS.run);
  }
}
