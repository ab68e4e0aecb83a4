import type { EventBody, KeptEvent, ListPage, PageOptions, ReceivedEvent, SignalBody } from "../contract/index.ts";
import type { Door, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const EVENTS: Needs = ["data"];
const EVENT: Needs = ["id", "isNew"];

/** The part of the API that is about events and signals. */
export class EventClient {
  readonly #door: Door;

  constructor(door: Door) {
    this.#door = door;
  }

  /** Steps that wait for them continue; they are kept for those that begin to wait later. */
  async send(events: readonly EventBody[]): Promise<readonly ReceivedEvent[]> {
    const answer = await this.#door.ask<{ readonly data: readonly ReceivedEvent[] }>(
      "POST",
      "/events",
      { body: events },
      EVENTS,
    );
    return answer.data;
  }

  /** Newest first. */
  list(query: PageOptions & { readonly type?: string } = {}): Promise<ListPage<KeptEvent>> {
    return this.#door.list("/events", { query: { ...query } });
  }

  /** An event to one run. */
  signal(runId: string, name: string, body: SignalBody = {}): Promise<ReceivedEvent> {
    return this.#door.ask("POST", `/runs/${encode(runId)}/signals/${encode(name)}`, { body }, EVENT);
  }
}
