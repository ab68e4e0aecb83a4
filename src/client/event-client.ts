import type { EventBody, KeptEvent, ListPage, PageOptions, ReceivedEvent, SignalBody } from "../contract/index.ts";
import type { Requests, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const EVENTS: Needs = ["data"];
const EVENT: Needs = ["id", "isNew"];

/** Part of the API for events and signals. */
export class EventClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Sends events. Steps that wait for them continue, and the events are kept for steps that begin to wait later. */
  async send(events: readonly EventBody[]): Promise<readonly ReceivedEvent[]> {
    const answer = await this.#requests.ask<{ readonly data: readonly ReceivedEvent[] }>(
      "POST",
      "/events",
      { body: events },
      EVENTS,
    );
    return answer.data;
  }

  /** Lists kept events, newest first. */
  list(query: PageOptions & { readonly type?: string } = {}): Promise<ListPage<KeptEvent>> {
    return this.#requests.list("/events", { query: { ...query } });
  }

  /** Sends an event to one run. */
  signal(runId: string, name: string, body: SignalBody = {}): Promise<ReceivedEvent> {
    return this.#requests.ask("POST", `/runs/${encode(runId)}/signals/${encode(name)}`, { body }, EVENT);
  }
}
