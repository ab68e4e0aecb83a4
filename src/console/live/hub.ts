import { ApiProblem, type Frame, type LiveMessage } from "../../client/index.ts";

/** State of the connection and the moment it began, in epoch milliseconds. */
export interface LiveState {
  readonly phase: "connecting" | "live" | "reconnecting" | "offline" | "signed-out";
  readonly since: number;
}

/** A message from a page to the hub. */
export type HubRequest =
  | { readonly type: "watch"; readonly id: number; readonly runId: string; readonly after: number }
  | { readonly type: "unwatch"; readonly id: number }
  /** Request to reconnect now, because the page is visible again or a person has signed in. */
  | { readonly type: "retry" }
  /** Name of a lock that the page holds as long as it exists. */
  | { readonly type: "lock"; readonly name: string }
  | { readonly type: "bye" };

/** A change in the organisation: every live message except events of a run and heartbeats. */
export type FeedMessage = Exclude<LiveMessage, { type: "event" | "heartbeat" }>;

/** A message from the hub to a page. */
export type HubMessage =
  | { readonly type: "state"; readonly state: LiveState }
  | { readonly type: "messages"; readonly messages: readonly FeedMessage[] }
  | { readonly type: "frames"; readonly id: number; readonly frames: readonly Frame[] };

export interface HubOptions {
  readonly read: (runs: ReadonlyMap<string, number>, signal: AbortSignal) => AsyncGenerator<LiveMessage, void>;
  readonly now: () => number;
  /** Calls back later. Returns a function that cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
}

interface Watch {
  readonly runId: string;
  cursor: number;
  frames: Frame[];
}

export interface HubClient {
  readonly send: (message: HubMessage) => void;
  readonly watches: Map<number, Watch>;
}

const RETRY_MS = 500;
const RETRY_MS_MAX = 10_000;
const SILENCE_MS = 45_000;
const FLUSH_MS = 40;
const OFFLINE_TRIES = 4;

/**
 * One connection for all pages of a browser. Each page requests the runs it follows and from which event; the hub reads
 * all of them together and sends each page its own events, in order and once. When the followed runs change, the old
 * connection is closed only after the new one has answered, so that no event is lost between them.
 */
export class LiveHub {
  readonly #options: HubOptions;
  readonly #clients = new Set<HubClient>();
  #state: LiveState;
  #current: AbortController | null = null;
  /** Old connections, closed once the current one has answered. There are several when followed runs change faster than that. */
  readonly #superseded = new Set<AbortController>();
  #pending: FeedMessage[] = [];
  #cancelFlush: (() => void) | null = null;
  #cancelReopen: (() => void) | null = null;
  #cancelSilence: (() => void) | null = null;
  #tries = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#state = { phase: "connecting", since: options.now() };
  }

  join(send: HubClient["send"]): HubClient {
    const client: HubClient = { send, watches: new Map() };
    this.#clients.add(client);
    send({ type: "state", state: this.#state });
    if (this.#current === null) this.#reopenIn(0);
    return client;
  }

  take(client: HubClient, request: HubRequest): void {
    switch (request.type) {
      case "watch":
        client.watches.set(request.id, { runId: request.runId, cursor: request.after, frames: [] });
        return this.#reopenIn(10);
      case "unwatch":
        client.watches.delete(request.id);
        return;
      case "retry":
        if (this.#state.phase !== "live") this.#reopenIn(0);
        return;
      case "bye":
        return this.leave(client);
      case "lock":
        return;
    }
  }

  leave(client: HubClient): void {
    this.#clients.delete(client);
    if (this.#clients.size > 0) return;
    this.#endSuperseded();
    this.#current?.abort();
    this.#current = null;
    this.#cancelReopen?.();
    this.#cancelReopen = null;
    this.#cancelSilence?.();
    this.#cancelFlush?.();
    this.#cancelFlush = null;
  }

  #reopenIn(ms: number): void {
    this.#cancelReopen?.();
    this.#cancelReopen = this.#options.after(ms, () => {
      this.#cancelReopen = null;
      void this.#open();
    });
  }

  async #open(): Promise<void> {
    const before = this.#current;
    if (before !== null) this.#superseded.add(before);
    const controller = new AbortController();
    this.#current = controller;
    const isCurrent = (): boolean => this.#current === controller;
    this.#listen(controller);
    try {
      for await (const message of this.#options.read(this.#cursors(), controller.signal)) {
        if (!isCurrent()) return;
        this.#listen(controller);
        if (message.type === "hello") {
          const isChange = before !== null && !before.signal.aborted && this.#state.phase === "live";
          this.#endSuperseded();
          this.#tries = 0;
          this.#setPhase("live");
          // Nothing was missed when only the followed runs changed, so the data need not be read again.
          if (!isChange) this.#enqueue(message);
        } else if (message.type === "event") this.#deliver(message.runId, message.frame);
        else if (message.type !== "heartbeat") this.#enqueue(message);
      }
      this.#lost(controller, null);
    } catch (thrown) {
      this.#lost(controller, thrown);
    }
  }

  #lost(controller: AbortController, thrown: unknown): void {
    if (this.#current !== controller || this.#clients.size === 0) return;
    this.#endSuperseded();
    controller.abort();
    this.#current = null;
    const isUnknown = thrown instanceof ApiProblem && (thrown.status === 401 || thrown.status === 403);
    if (isUnknown) return this.#setPhase("signed-out");
    this.#tries += 1;
    this.#setPhase(this.#tries >= OFFLINE_TRIES ? "offline" : "reconnecting");
    this.#reopenIn(Math.min(RETRY_MS * 2 ** (this.#tries - 1), RETRY_MS_MAX));
  }

  #endSuperseded(): void {
    for (const controller of this.#superseded) controller.abort();
    this.#superseded.clear();
  }

  /** A connection that is silent for three heartbeats is dead, even if the browser reports it as open. */
  #listen(controller: AbortController): void {
    this.#cancelSilence?.();
    this.#cancelSilence = this.#options.after(SILENCE_MS, () => controller.abort());
  }

  /** Returns for each run the earliest event that a page still needs. */
  #cursors(): Map<string, number> {
    const cursors = new Map<string, number>();
    for (const { watches } of this.#clients) {
      for (const { runId, cursor } of watches.values()) {
        cursors.set(runId, Math.min(cursor, cursors.get(runId) ?? cursor));
      }
    }
    return cursors;
  }

  #deliver(runId: string, frame: Frame): void {
    for (const { watches } of this.#clients) {
      for (const watch of watches.values()) {
        if (watch.runId !== runId || frame.eventId !== watch.cursor + 1) continue;
        watch.cursor = frame.eventId;
        watch.frames.push(frame);
      }
    }
    this.#flushSoon();
  }

  #enqueue(message: FeedMessage): void {
    this.#pending.push(message);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#options.after(FLUSH_MS, () => {
      this.#cancelFlush = null;
      this.#flush();
    });
  }

  #flush(): void {
    const messages = this.#pending;
    this.#pending = [];
    for (const { send, watches } of this.#clients) {
      if (messages.length > 0) send({ type: "messages", messages });
      for (const [id, watch] of watches) {
        if (watch.frames.length === 0) continue;
        send({ type: "frames", id, frames: watch.frames });
        watch.frames = [];
      }
    }
  }

  #setPhase(phase: LiveState["phase"]): void {
    if (phase === this.#state.phase) return;
    this.#state = { phase, since: this.#options.now() };
    for (const { send } of this.#clients) send({ type: "state", state: this.#state });
  }
}
