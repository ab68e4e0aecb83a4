import type { Erasure, ErasureRequest, Run } from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { Requests } from "./caller.ts";
import { encode } from "./query.ts";

/** Part of the API that deletes and erases runs, and imports archived runs. */
export class HistoryClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Deletes a run that has ended, with its child runs and all their data. */
  deleteRun(runId: string): Promise<void> {
    return this.#requests.command("DELETE", `/runs/${encode(runId)}`);
  }

  /** Erases personal content of the runs that match a condition, from all stored data. */
  erase(request: ErasureRequest): Promise<Erasure> {
    return this.#requests.ask("POST", "/erasures", { body: request }, ["runs", "open", "sealed"]);
  }

  /** Restores a run and its child runs from the packet that was written before they were deleted. */
  importRun(packet: Uint8Array<ArrayBuffer>): Promise<Run> {
    return this.#requests.ask("POST", "/runs/import", { bytes: packet }, NEEDS.run);
  }
}
