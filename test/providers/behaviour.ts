/** What a provider does with one call. */
export type Behaviour = Spoken | Status | Huge;

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly thinking?: number;
}

/** An answer in a stream, well behaved or not. */
export interface Spoken {
  readonly kind: "spoken";
  readonly chunks: readonly string[];
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** Null: the provider says nothing about tokens. */
  readonly usage?: Usage | null;
  readonly finish?: "stop" | "length" | "filter" | "refusal";
  /** Id of the message or block, for those who keep books by it. */
  readonly id?: string;
  /** How the stream ends after its chunks; default: `whole`. */
  readonly end?: "whole" | "cut" | "missing" | "broken-frame" | "error-event" | "hang";
  /** Bytes per write, with a turn of the event loop between writes; default: all at once. */
  readonly bytesPerWrite?: number;
}

export interface Status {
  readonly kind: "status";
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Keeps sending frames until the client is gone. */
interface Huge {
  readonly kind: "huge";
}

export function say(...chunks: string[]): Spoken {
  return { kind: "spoken", chunks };
}

export function sayJson(value: unknown): Spoken {
  return say(JSON.stringify(value));
}

export function callTool(name: string, args: string, id = "call_1"): Spoken {
  return { kind: "spoken", chunks: [], toolCalls: [{ id, name, args }] };
}

export function answerStatus(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Status {
  const body = JSON.stringify({ type: "error", error: { type: "error", code: null, message } });
  return { kind: "status", status, headers, body };
}

/** Never answers: not even headers when there are no chunks. */
export function hang(...chunks: string[]): Spoken {
  return { kind: "spoken", chunks, end: "hang" };
}

export const DEFAULT_USAGE: Usage = { input: 100, output: 20 };
