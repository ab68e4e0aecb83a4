import type { HubClient, LiveHub, HubMessage, HubRequest } from "./hub.ts";

/** A message between the pages of a browser. */
export type PeerMessage =
  | { readonly type: "request"; readonly from: string; readonly request: HubRequest }
  | { readonly type: "message"; readonly to: string; readonly message: HubMessage }
  /** A page has become the leader, and all pages send their requests again. */
  | { readonly type: "leads" };

export interface MemberOptions {
  readonly id: string;
  readonly openHub: () => LiveHub;
  /** Sends a message to all other pages. */
  readonly broadcast: (message: PeerMessage) => void;
  /** Sends a message to the page of this member. */
  readonly deliver: (message: HubMessage) => void;
  /** Calls back when the page that holds a lock is gone. */
  readonly whenGone: (lock: string, run: () => void) => void;
}

/**
 * One of several pages that share a connection in a browser without shared workers. One member leads: it holds the
 * connection and passes its messages on. Each member stores the requests of its page with the last event it received,
 * and sends them to the next leader, so that no event is delivered twice or lost.
 */
export class Member {
  readonly #options: MemberOptions;
  readonly #watches = new Map<number, Extract<HubRequest, { type: "watch" }>>();
  #lock: HubRequest | null = null;
  #led: { readonly hub: LiveHub; readonly clients: Map<string, HubClient>; readonly resign: () => void } | null = null;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  /** Leads until the page of this member is gone. */
  lead(): Promise<void> {
    return new Promise((resolve) => {
      this.#led = { hub: this.#options.openHub(), clients: new Map(), resign: resolve };
      this.#options.broadcast({ type: "leads" });
      this.#requestAgain();
    });
  }

  /** Handles a request of the member's own page. */
  request(request: HubRequest): void {
    if (request.type === "watch") this.#watches.set(request.id, request);
    else if (request.type === "unwatch") this.#watches.delete(request.id);
    else if (request.type === "lock") this.#lock = request;
    this.#pass(request);
    if (request.type === "bye") this.#retire();
  }

  /** Handles a message from another page. */
  receive(received: PeerMessage): void {
    if (received.type === "request") this.#serve(received.from, received.request);
    else if (received.type === "leads") this.#requestAgain();
    else if (received.to === this.#options.id) this.#take(received.message);
  }

  #pass(request: HubRequest): void {
    const { id, broadcast } = this.#options;
    if (this.#led === null) broadcast({ type: "request", from: id, request });
    else this.#serve(id, request);
  }

  #requestAgain(): void {
    if (this.#lock !== null) this.#pass(this.#lock);
    for (const watch of this.#watches.values()) this.#pass(watch);
  }

  #take(message: HubMessage): void {
    if (message.type === "frames") {
      const watch = this.#watches.get(message.id);
      const after = message.frames.at(-1)?.eventId;
      if (watch !== undefined && after !== undefined) this.#watches.set(message.id, { ...watch, after });
    }
    this.#options.deliver(message);
  }

  #serve(from: string, request: HubRequest): void {
    if (this.#led === null) return;
    const { hub, clients } = this.#led;
    if (request.type === "bye") return this.#forget(from);
    const client = clients.get(from) ?? this.#join(from, hub, clients);
    if (request.type === "lock") this.#options.whenGone(request.name, () => this.#forget(from));
    else hub.take(client, request);
  }

  #join(from: string, hub: LiveHub, clients: Map<string, HubClient>): HubClient {
    const { id, broadcast } = this.#options;
    const client = hub.join((message) =>
      from === id ? this.#take(message) : broadcast({ type: "message", to: from, message }),
    );
    clients.set(from, client);
    return client;
  }

  #forget(from: string): void {
    const client = this.#led?.clients.get(from);
    if (client === undefined) return;
    this.#led?.clients.delete(from);
    this.#led?.hub.leave(client);
  }

  /** Called when the page is gone. A leader resigns at once, so that another page can lead. */
  #retire(): void {
    this.#watches.clear();
    this.#lock = null;
    const led = this.#led;
    this.#led = null;
    for (const client of led?.clients.values() ?? []) led?.hub.leave(client);
    led?.resign();
  }
}
