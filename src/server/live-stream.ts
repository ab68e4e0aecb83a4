import { isoFromEpochMs } from "../core/view/index.ts";
import type { LiveHead, RunRecord, RunStore } from "../store/index.ts";
import type { OrgFeed, LiveWatcher } from "./org-feed.ts";
import { PulledStream, type PulledSetup } from "./pulled-stream.ts";
import { RunCursor } from "./run-cursor.ts";
import type { Tail } from "./tail.ts";

export interface LiveSetup extends PulledSetup {
  readonly orgId: string;
  /** Runs whose events are wanted, each after a cursor. */
  readonly runs: readonly { readonly run: RunRecord; readonly afterEventId: number }[];
  /** Whether it may know of approvals. */
  readonly hasApprovals: boolean;
  readonly store: Pick<RunStore, "readEvents">;
  readonly tail: Tail;
  readonly live: OrgFeed;
}

/** One client of a whole organisation: what becomes of its runs, and the events of those it names. */
export class LiveStream extends PulledStream implements LiveWatcher {
  readonly orgId: string;
  protected override readonly about: string;
  readonly #setup: LiveSetup;
  readonly #cursors: readonly RunCursor[];
  /** By what they are about: only the newest of each is worth telling, so that a slow client costs little. */
  readonly #news = new Map<string, Uint8Array>();

  constructor(setup: LiveSetup) {
    super(setup);
    this.#setup = setup;
    this.orgId = setup.orgId;
    this.about = `the live stream of ${setup.orgId}`;
    this.#cursors = setup.runs.map(({ run, afterEventId }) => {
      return new RunCursor({ run, afterEventId, store: setup.store, tail: setup.tail }, this);
    });
    setup.live.watch(this).then(
      () => this.#tell("hello", "hello", {}),
      (error: unknown) => {
        setup.config.onTrouble(`${this.about} could not begin`, error);
        this.end();
      },
    );
  }

  onRun(head: LiveHead): void {
    this.#tell(`run ${head.runId}`, "run", runOnWire(head));
  }

  onApprovals(runId: string | null, pending: readonly string[]): void {
    if (this.#setup.hasApprovals) this.#tell(`approval ${runId ?? ""}`, "approval", { runId, pending });
  }

  protected override isOver(): boolean {
    return false;
  }

  protected override async take(): Promise<readonly Uint8Array[]> {
    const found = [...this.#news.values()];
    this.#news.clear();
    for (const cursor of this.#cursors) {
      for (const { bytes } of await cursor.take()) found.push(wrapped(cursor.runId, bytes));
    }
    return found;
  }

  protected override release(): void {
    this.#setup.live.unwatch(this);
    for (const cursor of this.#cursors) cursor.release();
  }

  #tell(about: string, event: string, data: object): void {
    this.#news.set(about, Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
    this.onNews(0);
  }
}

function runOnWire({ runId, workflow, status, lastEventId, costMicros, startedAt, endedAt }: LiveHead): object {
  return {
    id: runId,
    workflow,
    status,
    lastEventId,
    costMicros,
    startedAt: isoOrNull(startedAt),
    completedAt: isoOrNull(endedAt),
  };
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoFromEpochMs(at);
}

const DATA = Buffer.from("\ndata: ");

/** The frame as it was written once for all, in a message that says whose it is. */
function wrapped(runId: string, bytes: Uint8Array): Uint8Array {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frame = message.subarray(message.indexOf(DATA) + DATA.length, message.length - 2);
  const before = Buffer.from(`event: event\ndata: {"runId":${JSON.stringify(runId)},"frame":`);
  return Buffer.concat([before, frame, Buffer.from("}\n\n")]);
}
