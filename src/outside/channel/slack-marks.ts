/** Marks messages, invisibly, with the deliveries they contain, which identifies messages posted before a process died. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { SlackApi } from "./slack-api.ts";

/** The location of a message. */
export interface Marked {
  readonly place: string;
  readonly ts: string;
}

/** A message in the conversation, and the parts of its thread by name. */
export interface PostedMessage extends Marked {
  /** Ids of the deliveries it is about. */
  readonly deliveries: ReadonlySet<string>;
  readonly parts: ReadonlyMap<string, Marked>;
}

const EVENT_TYPE = "sluice_message";
/** Messages per page: the number that Slack recommends. */
const PAGE_MESSAGES = 200;
/** Maximum number of pages that are searched, so that a delivery into a very busy conversation ends in time. */
const PAGES_MAX = 25;
/** Tolerated difference between the clocks of Slack and this machine. */
const CLOCKS_MS = 300_000;

/** Returns the metadata of a message: its deliveries, and the part it contains, which is empty outside of a thread. */
export function markOf(deliveries: Iterable<string>, part: string): JsonObject {
  return { event_type: EVENT_TYPE, event_payload: { mark: [...deliveries].join(" "), part } };
}

interface Conversation {
  readonly api: SlackApi;
  readonly conversation: string;
}

/**
 * Returns the posted messages about any of the deliveries, among those that are not older than the deliveries. Their group
 * may have been another one then: meanwhile, one may have been answered or another have come in. Contains only what was
 * found so far when Slack cannot be read (no permission, or unavailable).
 */
export async function findPosted(
  { api, conversation }: Conversation,
  deliveries: ReadonlySet<string>,
  since: number,
  signal: AbortSignal,
): Promise<readonly PostedMessage[]> {
  const search = async (
    method: string,
    more: Readonly<Record<string, string>>,
    take: (message: FoundMessage) => void,
    isDone: () => boolean,
  ): Promise<void> => {
    const read = { channel: conversation, include_all_metadata: "true", limit: String(PAGE_MESSAGES), ...more };
    let page: { cursor?: string } = {};
    for (let count = 0; count < PAGES_MAX; count += 1) {
      const reply = await api.read(method, { ...read, ...page }, signal);
      if (!reply.ok) return;
      for (const message of messagesIn(reply.body)) take(message);
      const cursor = memberOf(getOwn(reply.body, "response_metadata"), "next_cursor");
      if (typeof cursor !== "string" || cursor === "" || isDone()) return;
      page = { cursor };
    }
  };
  const open = new Set(deliveries);
  const found: FoundMessage[] = [];
  const oldest = ((since - CLOCKS_MS) / 1_000).toFixed(6);
  await search(
    "conversations.history",
    { oldest },
    (message) => {
      if (message.part !== "" || !message.deliveries.some((id) => open.has(id))) return;
      for (const id of message.deliveries) open.delete(id);
      found.push(message);
    },
    () => open.size === 0,
  );
  const posted: PostedMessage[] = [];
  for (const { ts, deliveries: about } of found) {
    const parts = new Map<string, Marked>();
    const take = (message: FoundMessage): void => void parts.set(message.part, { place: conversation, ts: message.ts });
    await search("conversations.replies", { ts }, take, () => false);
    posted.push({ place: conversation, ts, deliveries: new Set(about), parts });
  }
  return posted;
}

interface FoundMessage {
  readonly ts: string;
  readonly deliveries: readonly string[];
  readonly part: string;
}

/** Returns the messages of a page that have a mark. */
function messagesIn(body: JsonObject): readonly FoundMessage[] {
  const messages = getOwn(body, "messages");
  return (messages !== undefined && isJsonArray(messages) ? messages : []).flatMap((message) => {
    const metadata = memberOf(message, "metadata");
    const payload = memberOf(metadata, "event_payload");
    const [mark, part, ts] = [memberOf(payload, "mark"), memberOf(payload, "part"), memberOf(message, "ts")];
    const isOurs = memberOf(metadata, "event_type") === EVENT_TYPE;
    if (!isOurs || typeof mark !== "string" || typeof part !== "string" || typeof ts !== "string") return [];
    return [{ ts, deliveries: mark.split(" "), part }];
  });
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? getOwn(value, key) : undefined;
}
