import type { Erasure, ErasureRequest, Run } from "../contract/index.ts";
import { NEEDS } from "./answer-needs.ts";
import type { Door } from "./caller.ts";
import { encode } from "./query.ts";

/** The part of the API that deletes and erases runs, and imports archived ones. */
export class HistoryClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  /** A run that has ended, with its child runs and everything that is kept of them. */
  deleteRun(runId: string): Promise<void> {
    return this.#door.command("DELETE", `/runs/${encode(runId)}`);
  }

  /** Personal content of the runs a condition matches, out of everything that is kept. */
  erase(request: ErasureRequest): Promise<Erasure> {
    return this.#door.ask("POST", "/erasures", { body: request }, ["runs", "open", "sealed"]);
  }

  /** A run and its child runs, from the packet that was written before they were deleted. */
  importRun(packet: Uint8Array<ArrayBuffer>): Promise<Run> {
    return this.#door.ask("POST", "/runs/import", { bytes: packet }, NEEDS.run);
  }
}
