import { ApiProblem, type Frame, type LiveMessage } from "../../client/index.ts";

/** How the connection is, and since when; times are epoch milliseconds. */
export interface LiveState {
  readonly phase: "connecting" | "live" | "reconnecting" | "offline" | "signed-out";
  readonly since: number;
}

/** From a page to the hub. */
export type HubRequest =
  | { readonly type: "watch"; readonly id: number; readonly runId: string; readonly after: number }
  | { readonly type: "unwatch"; readonly id: number }
  /** Try now: the page is looked at again, or somebody has signed in. */
  | { readonly type: "retry" }
  /** Held as long as the page lives. */
  | { readonly type: "lock"; readonly name: string }
  | { readonly type: "bye" };

/** From the hub to a page. */
export type HubMessage =
  | { readonly type: "state"; readonly state: LiveState }
  | { readonly type: "messages"; readonly messages: readonly Exclude<LiveMessage, { type: "event" | "heartbeat" }>[] }
  | { readonly type: "frames"; readonly id: number; readonly frames: readonly Frame[] };

export interface HubOptions {
  readonly read: (runs: ReadonlyMap<string, number>, signal: AbortSignal) => AsyncGenerator<LiveMessage, void>;
  readonly now: () => number;
  /** Calls back later; returns how not to. */
  readonly after: (ms: number, run: () => void) => () => void;
}

type Heard = Exclude<LiveMessage, { type: "event" | "heartbeat" }>;

interface Watch {
  readonly runId: string;
  cursor: number;
  frames: Frame[];
}

export interface Client {
  readonly send: (news: HubMessage) => void;
  readonly watches: Map<number, Watch>;
}

const RETRY_MS = 500;
const RETRY_MS_MAX = 10_000;
const SILENCE_MS = 45_000;
const FLUSH_MS = 40;
const OFFLINE_TRIES = 4;

/**
 * One connection for all pages of a browser. Each page says which runs it follows from where; the hub asks for all of
 * them together and gives each page its own, in order and once. When what is followed changes, the new connection is
 * heard before the old one is left, so that nothing falls between them.
 */
export class LiveHub {
  readonly #options: HubOptions;
  readonly #clients = new Set<Client>();
  #state: LiveState;
  #current: AbortController | null = null;
  /** Left once the current one is heard; several, when what is followed changes faster than that. */
  readonly #superseded = new Set<AbortController>();
  #heard: Heard[] = [];
  #cancelFlush: (() => void) | null = null;
  #cancelReopen: (() => void) | null = null;
  #cancelSilence: (() => void) | null = null;
  #tries = 0;

  constructor(options: HubOptions) {
    this.#options = options;
    this.#state = { phase: "connecting", since: options.now() };
  }

  join(send: Client["send"]): Client {
    const client: Client = { send, watches: new Map() };
    this.#clients.add(client);
    send({ type: "state", state: this.#state });
    if (this.#current === null) this.#reopenIn(0);
    return client;
  }

  take(client: Client, wish: HubRequest): void {
    switch (wish.type) {
      case "watch":
        client.watches.set(wish.id, { runId: wish.runId, cursor: wish.after, frames: [] });
        return this.#reopenIn(10);
      case "unwatch":
        client.watches.delete(wish.id);
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

  leave(client: Client): void {
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
          this.#tell("live");
          // After a change of what is followed nothing was missed, so that nothing has to be read again.
          if (!isChange) this.#note(message);
        } else if (message.type === "event") this.#deliver(message.runId, message.frame);
        else if (message.type !== "heartbeat") this.#note(message);
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
    if (isUnknown) return this.#tell("signed-out");
    this.#tries += 1;
    this.#tell(this.#tries >= OFFLINE_TRIES ? "offline" : "reconnecting");
    this.#reopenIn(Math.min(RETRY_MS * 2 ** (this.#tries - 1), RETRY_MS_MAX));
  }

  #endSuperseded(): void {
    for (const controller of this.#superseded) controller.abort();
    this.#superseded.clear();
  }

  /** A connection that says nothing for three heartbeats is dead, whatever the browser thinks. */
  #listen(controller: AbortController): void {
    this.#cancelSilence?.();
    this.#cancelSilence = this.#options.after(SILENCE_MS, () => controller.abort());
  }

  /** For each run the earliest event somebody still wants. */
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

  #note(message: Heard): void {
    this.#heard.push(message);
    this.#flushSoon();
  }

  #flushSoon(): void {
    this.#cancelFlush ??= this.#options.after(FLUSH_MS, () => {
      this.#cancelFlush = null;
      this.#flush();
    });
  }

  #flush(): void {
    const messages = this.#heard;
    this.#heard = [];
    for (const { send, watches } of this.#clients) {
      if (messages.length > 0) send({ type: "messages", messages });
      for (const [id, watch] of watches) {
        if (watch.frames.length === 0) continue;
        send({ type: "frames", id, frames: watch.frames });
        watch.frames = [];
      }
    }
  }

  #tell(phase: LiveState["phase"]): void {
    if (phase === this.#state.phase) return;
    this.#state = { phase, since: this.#options.now() };
    for (const { send } of this.#clients) send({ type: "state", state: this.#state });
  }
}
