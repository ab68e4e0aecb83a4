/** One message of an event stream. */
export interface SseMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

const LINE_END = /\r\n|\n|\r/;

/** Parses server-sent events from pieces of text that may end anywhere. */
export class SseParser {
  #rest = "";
  #id: string | null = null;
  #event = "";
  #data: string[] = [];

  /** Adds a piece of text and returns the messages that it completes. */
  take(piece: string): readonly SseMessage[] {
    const messages: SseMessage[] = [];
    let text = this.#rest + piece;
    for (;;) {
      const end = LINE_END.exec(text);
      // A carriage return at the very end may be the first half of a line break.
      if (end === null || (end[0] === "\r" && end.index === text.length - 1)) break;
      const message = this.#line(text.slice(0, end.index));
      if (message !== null) messages.push(message);
      text = text.slice(end.index + end[0].length);
    }
    this.#rest = text;
    return messages;
  }

  #line(line: string): SseMessage | null {
    if (line === "") return this.#flush();
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id") this.#id = value;
    return null;
  }

  #flush(): SseMessage | null {
    const message = { id: this.#id, event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return isEmpty ? null : message;
  }
}
