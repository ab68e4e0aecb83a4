/** Adds an invisible mark to messages, which identifies messages posted before a process died. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { SlackApi } from "./slack-api.ts";

/** The location of a message. */
export interface Marked {
  readonly place: string;
  readonly ts: string;
}

const EVENT_TYPE = "sluice_message";
/** Messages per page: the number that Slack recommends. */
const PAGE_MESSAGES = 200;
/** Maximum number of pages that are searched, so that a delivery into a very busy conversation ends in time. */
const PAGES_MAX = 25;
/** Tolerated difference between the clocks of Slack and this machine. */
const CLOCKS_MS = 300_000;

/** Returns the metadata of a message: its mark, and the part it contains. */
export function markOf(mark: string, part: string): JsonObject {
  return { event_type: EVENT_TYPE, event_payload: { mark, part } };
}

interface Conversation {
  readonly api: SlackApi;
  readonly conversation: string;
}

/**
 * Returns the posted parts of a message by name, among those that are not older than the message itself. Contains only
 * the parts found so far when Slack cannot be read (no permission, or unavailable).
 */
export async function findPosted(
  { api, conversation }: Conversation,
  mark: string,
  since: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Marked>> {
  const posted = new Map<string, Marked>();
  const search = async (method: string, more: Readonly<Record<string, string>>, last: string | null): Promise<void> => {
    const read = { channel: conversation, include_all_metadata: "true", limit: String(PAGE_MESSAGES), ...more };
    let page: { cursor?: string } = {};
    for (let count = 0; count < PAGES_MAX; count += 1) {
      const reply = await api.read(method, { ...read, ...page }, signal);
      if (!reply.ok) return;
      addParts(posted, reply.body, mark, conversation);
      const cursor = memberOf(getOwn(reply.body, "response_metadata"), "next_cursor");
      if (typeof cursor !== "string" || cursor === "" || (last !== null && posted.has(last))) return;
      page = { cursor };
    }
  };
  await search("conversations.history", { oldest: ((since - CLOCKS_MS) / 1_000).toFixed(6) }, "");
  const first = posted.get("");
  if (first !== undefined) await search("conversations.replies", { ts: first.ts }, null);
  return posted;
}

function addParts(posted: Map<string, Marked>, body: JsonObject, mark: string, place: string): void {
  const messages = getOwn(body, "messages");
  for (const message of messages !== undefined && isJsonArray(messages) ? messages : []) {
    const metadata = memberOf(message, "metadata");
    const payload = memberOf(metadata, "event_payload");
    const [part, ts] = [memberOf(payload, "part"), memberOf(message, "ts")];
    const isOurs = memberOf(metadata, "event_type") === EVENT_TYPE && memberOf(payload, "mark") === mark;
    if (isOurs && typeof part === "string" && typeof ts === "string") posted.set(part, { place, ts });
  }
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? getOwn(value, key) : undefined;
}
