import { utf8Length, type JsonObject } from "../../core/base/index.ts";
import { storable } from "./storable.ts";

const CONTENT_BYTES_MAX = 262_144;
const TRANSCRIPT_BYTES_MAX = 1_048_576;
const ENTRIES_MAX = 1_000;
const LABEL_LENGTH_MAX = 200;
const LEFT_OUT = "(left out: the conversation is too long to be kept whole)";

export interface ToolCallEntry {
  readonly id: string;
  readonly name: string;
  readonly input: string;
}

/** The conversation of one attempt as plain JSON. Its size is limited, because models and tools can produce endless text. */
export class Transcript {
  readonly #entries: JsonObject[] = [];
  #bytes = 0;

  system(text: string): void {
    this.#add({ role: "system" }, text);
  }

  user(text: string): void {
    this.#add({ role: "user" }, text);
  }

  assistant(text: string, toolCalls: readonly ToolCallEntry[]): void {
    if (text === "" && toolCalls.length === 0) return;
    const calls = toolCalls.map(({ id, name, input }) => ({
      id: label(id),
      name: label(name),
      input: this.#bounded(input),
    }));
    this.#add({ role: "assistant", ...(calls.length === 0 ? {} : { toolCalls: calls }) }, text);
  }

  tool(toolCallId: string, name: string, text: string, isError: boolean): void {
    this.#add(
      { role: "tool", toolCallId: label(toolCallId), name: label(name), ...(isError ? { isError: true } : {}) },
      text,
    );
  }

  get entries(): JsonObject[] {
    return [...this.#entries];
  }

  #add(entry: JsonObject, content: string): void {
    if (this.#entries.length >= ENTRIES_MAX) return;
    this.#entries.push({ ...entry, content: this.#bounded(content) });
  }

  #bounded(text: string): string {
    const bytes = utf8Length(text);
    if (bytes > CONTENT_BYTES_MAX || this.#bytes + bytes > TRANSCRIPT_BYTES_MAX) return LEFT_OUT;
    this.#bytes += bytes;
    return storable(text);
  }
}

function label(text: string): string {
  return storable(text.slice(0, LABEL_LENGTH_MAX));
}
