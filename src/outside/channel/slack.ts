import { getOwn, type JsonObject } from "../../core/base/index.ts";
import type { ChannelStore, ClaimedDelivery, Posting, RunStore, TargetKey } from "../../store/index.ts";
import type { Sent } from "../delivery/index.ts";
import { headline, type MessageItem } from "./message-item.ts";
import type { SlackApi } from "./slack-api.ts";
import { detailBlocks, itemBlocks, listBlocks } from "./slack-blocks.ts";
import { findPosted, type Marked, markOf, type PostedMessage } from "./slack-marks.ts";

export interface SlackPost {
  readonly api: SlackApi;
  readonly conversation: string;
  readonly target: TargetKey;
  readonly store: Pick<ChannelStore, "addPosting" | "listPostings"> & Pick<RunStore, "getApproval">;
}

/** An item of a message, and the delivery it is for. */
export interface SlackItem {
  readonly item: MessageItem;
  readonly delivery: Pick<ClaimedDelivery, "id" | "claim">;
}

/**
 * Posts a message, with its details in a thread. With several items, each item has its own message in the thread. Items
 * that a process posted before it died are not posted again, whichever items they were posted with.
 */
export async function postToSlack(post: SlackPost, items: readonly SlackItem[], signal: AbortSignal): Promise<Sent> {
  const found = await postedBefore(post, items, signal);
  const isFound = ({ delivery }: SlackItem): boolean => found.some(({ deliveries }) => deliveries.has(delivery.id));
  for (const message of found) {
    const own = items.filter(({ delivery }) => message.deliveries.has(delivery.id));
    await completeThread(post, message, own, signal);
  }
  const open = items.filter((one) => !isFound(one));
  const [first] = open;
  if (first === undefined) return { kind: "delivered", status: 200 };
  const ids = new Set(open.map(({ delivery }) => delivery.id));
  const blocks = open.length === 1 ? itemBlocks(first.item) : listBlocks(open.map(({ item }) => item));
  const message = { text: headline(open.map(({ item }) => item)), blocks };
  const sent = await postPart(post, markOf(ids, ""), message, null, signal);
  if (!sent.ok) return sent.sent;
  // The message is posted. An error in its thread must not cause it to be posted a second time.
  await completeThread(post, { ...sent.posted, deliveries: ids, parts: new Map() }, open, signal);
  return { kind: "delivered", status: 200 };
}

/** Returns the messages about deliveries that were tried before. */
async function postedBefore(
  post: SlackPost,
  items: readonly SlackItem[],
  signal: AbortSignal,
): Promise<readonly PostedMessage[]> {
  const tried = items.filter(({ delivery }) => delivery.claim > 1);
  if (tried.length === 0) return [];
  const since = Math.min(...tried.map(({ item }) => item.notice.at));
  return findPosted(post, new Set(tried.map(({ delivery }) => delivery.id)), since, signal);
}

/** Posts what is missing in the thread of a message, and stores where each of its items is. */
async function completeThread(
  post: SlackPost,
  message: PostedMessage,
  items: readonly SlackItem[],
  signal: AbortSignal,
): Promise<void> {
  for (const { item, delivery } of items) {
    const ensure = async (part: string, text: string, blocks: readonly JsonObject[]): Promise<PostedPart> => {
      const posted = message.parts.get(`${part} ${delivery.id}`);
      if (posted !== undefined) return { ok: true, posted };
      const mark = markOf([delivery.id], `${part} ${delivery.id}`);
      return postPart(post, mark, { text, blocks }, message.ts, signal);
    };
    const isAlone = message.deliveries.size === 1;
    const own = isAlone
      ? { ok: true as const, posted: message }
      : await ensure("item", item.notice.title, itemBlocks(item));
    if (own.ok) await remember(post, item, own.posted);
    const details = detailBlocks(item);
    if (details.length > 0) await ensure("details", "Details", details);
  }
}

type PostedPart = { readonly ok: true; readonly posted: Marked } | { readonly ok: false; readonly sent: Sent };

async function postPart(
  { api, conversation }: SlackPost,
  metadata: JsonObject,
  message: { readonly text: string; readonly blocks: readonly JsonObject[] },
  thread: string | null,
  signal: AbortSignal,
): Promise<PostedPart> {
  const args = { channel: conversation, ...message, metadata, unfurl_links: false, unfurl_media: false };
  const threaded = thread === null ? args : { ...args, thread_ts: thread };
  const reply = await api.call("chat.postMessage", threaded, signal);
  if (!reply.ok) return reply;
  const [place, ts] = [getOwn(reply.body, "channel"), getOwn(reply.body, "ts")];
  return {
    ok: true,
    posted: { place: typeof place === "string" ? place : conversation, ts: typeof ts === "string" ? ts : "" },
  };
}

/** Stores the posting. If the approval was answered while the message was being sent, the message is updated. */
async function remember(post: SlackPost, item: MessageItem, { place, ts }: Marked): Promise<void> {
  const { approval } = item;
  if (approval === null || ts === "") return;
  const { store, target } = post;
  const posting = { ...target, approvalId: approval.id, place, id: ts };
  await store.addPosting(posting);
  const now = await store.getApproval(target.orgId, approval.id);
  if (now !== undefined && now.status !== approval.status) await change(post, posting, { ...item, approval: now });
}

/** Updates every message about an approval to its current state. */
export async function updateInSlack(post: SlackPost, item: MessageItem, signal: AbortSignal): Promise<Sent> {
  const { store, target } = post;
  const { approval } = item;
  if (approval === null) return { kind: "delivered", status: null };
  for (const posting of await store.listPostings(target.orgId, target.targetId, approval.id)) {
    const sent = await change(post, posting, item, signal);
    if (sent.kind !== "delivered") return sent;
  }
  return { kind: "delivered", status: 200 };
}

async function change({ api }: SlackPost, posting: Posting, item: MessageItem, signal?: AbortSignal): Promise<Sent> {
  const { place, id } = posting;
  const args = { channel: place, ts: id, text: item.notice.title, blocks: itemBlocks(item) };
  const reply = await api.call("chat.update", args, signal);
  return reply.ok ? { kind: "delivered", status: 200 } : reply.sent;
}
