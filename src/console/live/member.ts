import type { Client, LiveHub, HubMessage, HubRequest } from "./hub.ts";

/** What the pages of a browser tell each other. */
export type Said =
  | { readonly type: "wish"; readonly from: string; readonly wish: HubRequest }
  | { readonly type: "news"; readonly to: string; readonly news: HubMessage }
  /** Somebody has begun to lead: everybody says again what they want. */
  | { readonly type: "leads" };

export interface MemberOptions {
  readonly id: string;
  readonly openHub: () => LiveHub;
  /** To all other pages. */
  readonly say: (said: Said) => void;
  /** To the page this is a part of. */
  readonly tell: (news: HubMessage) => void;
  /** Calls back when the page that holds a lock is gone. */
  readonly whenGone: (lock: string, run: () => void) => void;
}

/**
 * One page of several that share a connection where scripts cannot be shared. One of them leads: it holds the connection
 * and passes on what it hears. A member keeps what its page wants, so that whoever leads next can be told again from
 * where it has got to: nothing is told twice, and nothing is left out.
 */
export class Member {
  readonly #options: MemberOptions;
  readonly #watches = new Map<number, Extract<HubRequest, { type: "watch" }>>();
  #lock: HubRequest | null = null;
  #led: { readonly hub: LiveHub; readonly clients: Map<string, Client>; readonly resign: () => void } | null = null;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  /** Leads until its page says goodbye. */
  lead(): Promise<void> {
    return new Promise((resolve) => {
      this.#led = { hub: this.#options.openHub(), clients: new Map(), resign: resolve };
      this.#options.say({ type: "leads" });
      this.#wishAgain();
    });
  }

  /** What its own page wants. */
  wish(wish: HubRequest): void {
    if (wish.type === "watch") this.#watches.set(wish.id, wish);
    else if (wish.type === "unwatch") this.#watches.delete(wish.id);
    else if (wish.type === "lock") this.#lock = wish;
    this.#pass(wish);
    if (wish.type === "bye") this.#retire();
  }

  /** What another page said. */
  hear(said: Said): void {
    if (said.type === "wish") this.#serve(said.from, said.wish);
    else if (said.type === "leads") this.#wishAgain();
    else if (said.to === this.#options.id) this.#take(said.news);
  }

  #pass(wish: HubRequest): void {
    const { id, say } = this.#options;
    if (this.#led === null) say({ type: "wish", from: id, wish });
    else this.#serve(id, wish);
  }

  #wishAgain(): void {
    if (this.#lock !== null) this.#pass(this.#lock);
    for (const watch of this.#watches.values()) this.#pass(watch);
  }

  #take(news: HubMessage): void {
    if (news.type === "frames") {
      const watch = this.#watches.get(news.id);
      const after = news.frames.at(-1)?.eventId;
      if (watch !== undefined && after !== undefined) this.#watches.set(news.id, { ...watch, after });
    }
    this.#options.tell(news);
  }

  #serve(from: string, wish: HubRequest): void {
    if (this.#led === null) return;
    const { hub, clients } = this.#led;
    if (wish.type === "bye") return this.#forget(from);
    const client = clients.get(from) ?? this.#join(from, hub, clients);
    if (wish.type === "lock") this.#options.whenGone(wish.name, () => this.#forget(from));
    else hub.take(client, wish);
  }

  #join(from: string, hub: LiveHub, clients: Map<string, Client>): Client {
    const { id, say } = this.#options;
    const client = hub.join((news) => (from === id ? this.#take(news) : say({ type: "news", to: from, news })));
    clients.set(from, client);
    return client;
  }

  #forget(from: string): void {
    const client = this.#led?.clients.get(from);
    if (client === undefined) return;
    this.#led?.clients.delete(from);
    this.#led?.hub.leave(client);
  }

  /** It wants nothing any more. If it led, the others must not wait for what a page that was put away no longer does. */
  #retire(): void {
    this.#watches.clear();
    this.#lock = null;
    const led = this.#led;
    this.#led = null;
    for (const client of led?.clients.values() ?? []) led?.hub.leave(client);
    led?.resign();
  }
}
