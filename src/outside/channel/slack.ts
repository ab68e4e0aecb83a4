import { digestText, getOwn, type JsonObject } from "../../core/base/index.ts";
import type { ChannelStore, ClaimedDelivery, Posting, RunStore, TargetKey } from "../../store/index.ts";
import type { Sent } from "../delivery/index.ts";
import { headline, type MessageItem } from "./message-item.ts";
import type { SlackApi } from "./slack-api.ts";
import { detailBlocks, itemBlocks, listBlocks } from "./slack-blocks.ts";
import { findPosted, type Marked, markOf } from "./slack-marks.ts";

export interface SlackPost {
  readonly api: SlackApi;
  readonly conversation: string;
  readonly target: TargetKey;
  readonly store: Pick<ChannelStore, "addPosting" | "listPostings"> & Pick<RunStore, "getApproval">;
}

/** The content of one message. */
export interface SlackMessage {
  readonly items: readonly MessageItem[];
  readonly deliveries: readonly Pick<ClaimedDelivery, "id" | "claim">[];
}

/** A message being posted. Parts already posted are not posted again. */
interface PendingPost extends SlackPost {
  readonly mark: string;
  readonly posted: ReadonlyMap<string, Marked>;
}

/** Posts a message, with its details in a thread. With several items, each item has its own message in the thread. */
export async function postToSlack(
  post: SlackPost,
  { items, deliveries }: SlackMessage,
  signal: AbortSignal,
): Promise<Sent> {
  const [only] = items;
  const isOne = items.length === 1 && only !== undefined;
  const blocks = isOne ? itemBlocks(only) : listBlocks(items);
  const pending = await begin(post, { items, deliveries }, signal);
  const first = await postPart(pending, "", { text: headline(items), blocks }, null, signal);
  if (!first.ok) return first.sent;
  if (isOne) await remember(post, only, first.posted);
  // The message is posted. An error in its thread must not cause it to be posted a second time.
  for (const [index, item] of items.entries()) await follow(pending, item, index, first.posted.ts, isOne, signal);
  return { kind: "delivered", status: 200 };
}

/** On a retry, first searches for a message that a previous process posted before it died. */
async function begin(post: SlackPost, { items, deliveries }: SlackMessage, signal: AbortSignal): Promise<PendingPost> {
  const mark = digestText(deliveries.map(({ id }) => id).join(" "));
  const isFirst = deliveries.every(({ claim }) => claim === 1);
  const since = Math.min(...items.map(({ notice }) => notice.at));
  return { ...post, mark, posted: isFirst ? new Map() : await findPosted(post, mark, since, signal) };
}

async function follow(
  pending: PendingPost,
  item: MessageItem,
  index: number,
  thread: string,
  isShown: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (!isShown) {
    const message = { text: item.notice.title, blocks: itemBlocks(item) };
    const own = await postPart(pending, `item ${index}`, message, thread, signal);
    if (own.ok) await remember(pending, item, own.posted);
  }
  const details = detailBlocks(item);
  if (details.length === 0) return;
  await postPart(pending, `details ${index}`, { text: "Details", blocks: details }, thread, signal);
}

type PostedPart = { readonly ok: true; readonly posted: Marked } | { readonly ok: false; readonly sent: Sent };

async function postPart(
  { api, conversation, mark, posted }: PendingPost,
  part: string,
  message: { readonly text: string; readonly blocks: readonly JsonObject[] },
  thread: string | null,
  signal: AbortSignal,
): Promise<PostedPart> {
  const before = posted.get(part);
  if (before !== undefined) return { ok: true, posted: before };
  const metadata = markOf(mark, part);
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
