/** Adds an invisible mark to messages, which identifies messages posted before a process died. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { SlackApi } from "./slack-api.ts";

/** The location of a message. */
export interface Marked {
  readonly place: string;
  readonly ts: string;
}

const EVENT_TYPE = "sluice_message";
/** The maximum that Slack returns without paging. */
const MESSAGES_MAX = 200;
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

/** Returns the posted parts of a message by name. Empty when Slack cannot be read (no permission, or unavailable). */
export async function findSaid(
  { api, conversation }: Conversation,
  mark: string,
  since: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Marked>> {
  const oldest = ((since - CLOCKS_MS) / 1_000).toFixed(6);
  const read = { channel: conversation, include_all_metadata: "true", limit: String(MESSAGES_MAX) };
  const history = await api.read("conversations.history", { ...read, oldest }, signal);
  const said = partsIn(history.ok ? history.body : {}, mark, conversation);
  const first = said.get("");
  if (first === undefined) return said;
  const replies = await api.read("conversations.replies", { ...read, ts: first.ts }, signal);
  return new Map([...said, ...partsIn(replies.ok ? replies.body : {}, mark, conversation)]);
}

function partsIn(body: JsonObject, mark: string, place: string): Map<string, Marked> {
  const messages = getOwn(body, "messages");
  const found = new Map<string, Marked>();
  for (const message of messages !== undefined && isJsonArray(messages) ? messages : []) {
    const metadata = memberOf(message, "metadata");
    const payload = memberOf(metadata, "event_payload");
    const [part, ts] = [memberOf(payload, "part"), memberOf(message, "ts")];
    const isOurs = memberOf(metadata, "event_type") === EVENT_TYPE && memberOf(payload, "mark") === mark;
    if (isOurs && typeof part === "string" && typeof ts === "string") found.set(part, { place, ts });
  }
  return found;
}

function memberOf(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? getOwn(value, key) : undefined;
}
