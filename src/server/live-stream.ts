import type { RunRecord } from "../store/index.ts";
import { sseMessage } from "./frame-text.ts";
import type { OrgFeed, LiveWatcher } from "./org-feed.ts";
import { PulledStream, type PulledSetup } from "./pulled-stream.ts";
import { RunCursor } from "./run-cursor.ts";
import type { Tail } from "./tail.ts";

export interface LiveSetup extends PulledSetup {
  readonly orgId: string;
  /** Runs whose events are requested, each after a cursor. */
  readonly runs: readonly { readonly run: RunRecord; readonly afterEventId: number }[];
  /** Whether the client may see approvals. */
  readonly hasApprovals: boolean;
  readonly tail: Tail;
  readonly live: OrgFeed;
}

const HELLO = sseMessage("hello", {});

/** The stream of one client that watches an organisation: changes of its runs, and the events of the named runs. */
export class LiveStream extends PulledStream implements LiveWatcher {
  readonly orgId: string;
  protected override readonly about: string;
  readonly #setup: LiveSetup;
  readonly #cursors: readonly RunCursor[];
  /** The newest message by subject. Older ones are dropped, so that a slow client costs little. */
  readonly #waiting = new Map<string, Uint8Array>();

  constructor(setup: LiveSetup) {
    super(setup);
    this.#setup = setup;
    this.orgId = setup.orgId;
    this.about = `the live stream of ${setup.orgId}`;
    this.#cursors = setup.runs.map(({ run, afterEventId }) => {
      return new RunCursor({ run, afterEventId, tail: setup.tail }, this);
    });
    setup.live.watch(this).then(
      () => this.#add("hello", HELLO),
      (error: unknown) => {
        setup.config.onTrouble(`${this.about} could not begin`, error);
        this.end();
      },
    );
  }

  onRun(runId: string, message: Uint8Array): void {
    this.#add(`run ${runId}`, message);
  }

  onNote(approvalId: string, message: Uint8Array): void {
    if (this.#setup.hasApprovals) this.#add(`note ${approvalId}`, message);
  }

  onApprovals(runId: string | null, message: Uint8Array): void {
    if (this.#setup.hasApprovals) this.#add(`approval ${runId ?? ""}`, message);
  }

  protected override isOver(): boolean {
    return false;
  }

  protected override async take(): Promise<readonly Uint8Array[]> {
    const found = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const cursor of this.#cursors) {
      for (const { liveBytes } of await cursor.take()) found.push(liveBytes);
    }
    return found;
  }

  protected override release(): void {
    this.#setup.live.unwatch(this);
    for (const cursor of this.#cursors) cursor.release();
  }

  #add(subject: string, message: Uint8Array): void {
    this.#waiting.set(subject, message);
    this.onAdded(0);
  }
}
