import type { RunRecord } from "../store/index.ts";
import { PulledStream, type PulledSetup } from "./pulled-stream.ts";
import { RunCursor } from "./run-cursor.ts";
import type { Tail, Watcher } from "./tail.ts";

export interface StreamSetup extends PulledSetup {
  readonly run: RunRecord;
  readonly afterEventId: number;
  readonly tail: Tail;
}

/** The stream of one client that watches one run, until the run has ended. */
export class EventStream extends PulledStream implements Watcher {
  protected override readonly about: string;
  readonly #cursor: RunCursor;

  constructor(setup: StreamSetup) {
    super(setup);
    this.about = `the stream of run ${setup.run.runId}`;
    this.#cursor = new RunCursor(setup, this);
  }

  protected override isOver(): boolean {
    return this.#cursor.isOver;
  }

  protected override async take(): Promise<readonly Uint8Array[]> {
    return (await this.#cursor.take()).map(({ bytes }) => bytes);
  }

  protected override release(): void {
    this.#cursor.release();
  }
}
