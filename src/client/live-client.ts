import type { LiveApprovals, LiveEvent, LiveNote, LiveRun, Session } from "../contract/index.ts";
import { AUTH_EXPIRED } from "../core/event/index.ts";
import { errorOf, expired } from "./api-error.ts";
import { Caller } from "./caller.ts";
import { queryText } from "./query.ts";
import { type SseMessage, SseParser } from "./sse-parser.ts";

export type LiveMessage =
  /** Start of the connection. From here no message is missed, but data read before may be outdated. */
  | { readonly type: "hello" }
  | { readonly type: "run"; readonly run: LiveRun }
  | ({ readonly type: "event" } & LiveEvent)
  | ({ readonly type: "approval" } & LiveApprovals)
  | ({ readonly type: "note" } & LiveNote)
  | { readonly type: "heartbeat" };

export interface LiveOptions {
  readonly fetch: typeof fetch;
  /** Address of the server. Empty for a page of the server itself. */
  readonly url: string;
  readonly key?: string;
  /** Retries of single requests, as for a client. A broken live connection is not retried here. */
  readonly retries?: number;
}

/** Follows an organisation, and the events of the given runs after their cursors, until the connection ends. */
export async function* readLive(
  { fetch, url, key }: LiveOptions,
  runs: ReadonlyMap<string, number>,
  signal: AbortSignal,
): AsyncGenerator<LiveMessage, void> {
  const named = [...runs].map(([id, after]) => `${id}:${after}`).join(",");
  const response = await fetch(`${url}/api/v1/live${queryText(named === "" ? {} : { runs: named })}`, {
    headers: { accept: "text/event-stream", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    signal,
  });
  if (!response.ok) throw await errorOf(response, url);
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  const parser = new SseParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = parser.take(decoder.decode(value, { stream: true }));
    if (messages.length === 0) yield { type: "heartbeat" };
    for (const message of messages) {
      if (message.event === AUTH_EXPIRED) throw expired(message.data);
      const read = messageOf(message);
      if (read !== null) yield read;
    }
  }
}

function messageOf({ event, data }: SseMessage): LiveMessage | null {
  switch (event) {
    case "hello":
      return { type: "hello" };
    case "run":
      return { type: "run", run: JSON.parse(data) as LiveRun };
    case "event":
      return { type: "event", ...(JSON.parse(data) as LiveEvent) };
    case "note":
      return { type: "note", ...(JSON.parse(data) as LiveNote) };
    case "approval":
      return { type: "approval", ...(JSON.parse(data) as LiveApprovals) };
    default:
      return null;
  }
}

/** Returns the session of the caller, or the facts about its key. */
export function getSession(options: LiveOptions): Promise<Session> {
  return new SessionCaller(options).getSession();
}

class SessionCaller extends Caller {
  getSession(): Promise<Session> {
    return this.ask("GET", "/session", {}, ["organisation", "permissions"]);
  }
}
