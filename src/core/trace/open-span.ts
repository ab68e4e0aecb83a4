import type { AttributeValue, EndedSpan, Span, SpanAddress, SpanEvent } from "./span.ts";

/** The default limit of collectors. Further events are only counted. */
export const EVENTS_PER_SPAN_MAX = 128;

interface Opening extends SpanAddress {
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: Span["kind"];
  readonly startedAt: number;
  readonly links?: readonly SpanAddress[];
}

export interface Ending {
  readonly at: number;
  readonly eventId: number;
  readonly status: Span["status"];
}

/** A span that has not ended. An ended span never changes, even if the log has later events about it. */
export class OpenSpan {
  #opening: Opening;
  readonly #attributes = new Map<string, AttributeValue>();
  readonly #events: SpanEvent[] = [];
  #droppedEvents = 0;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  get spanId(): string {
    return this.#opening.spanId;
  }

  rename(name: string): this {
    this.#opening = { ...this.#opening, name };
    return this;
  }

  /** Sets an attribute. Null and undefined are ignored. */
  set(name: string, value: AttributeValue | null | undefined): this {
    if (value !== null && value !== undefined) this.#attributes.set(name, value);
    return this;
  }

  add(name: string, by: number): void {
    const known = this.#attributes.get(name);
    this.#attributes.set(name, (typeof known === "number" ? known : 0) + by);
  }

  note(event: SpanEvent): void {
    if (this.#events.length < EVENTS_PER_SPAN_MAX) this.#events.push(event);
    else this.#droppedEvents += 1;
  }

  end({ at, eventId, status }: Ending): EndedSpan {
    return { ...this.#written(status), endedAt: at, endEventId: eventId };
  }

  snapshot(): Span {
    return { ...this.#written("unset"), endedAt: null, endEventId: null };
  }

  #written(status: Span["status"]) {
    const { links = [], ...opening } = this.#opening;
    const attributes = new Map(this.#attributes);
    return { ...opening, status, attributes, events: [...this.#events], droppedEvents: this.#droppedEvents, links };
  }
}
