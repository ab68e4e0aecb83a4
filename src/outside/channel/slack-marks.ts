/** Messages carry a mark that people do not see, by which one is found that was posted before a process died. */
import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";
import type { SlackApi } from "./slack-api.ts";

/** Where a message is. */
export interface Marked {
  readonly place: string;
  readonly ts: string;
}

const EVENT_TYPE = "sluice_message";
/** As many as Slack gives out at once without being asked to page. */
const MESSAGES_MAX = 200;
/** The clock of Slack and that of this machine may differ. */
const CLOCKS_MS = 300_000;

/** The metadata of a message: which one it is, and which part of it. */
export function markOf(mark: string, part: string): JsonObject {
  return { event_type: EVENT_TYPE, event_payload: { mark, part } };
}

interface Conversation {
  readonly api: SlackApi;
  readonly conversation: string;
}

/** The parts of a message that are there, by name; none where Slack does not say (the bot may not read, or is away). */
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
