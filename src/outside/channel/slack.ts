import { getOwn, type JsonObject } from "../../core/base/index.ts";
import type { ChannelStore, Posting, RunStore, TargetKey } from "../../store/index.ts";
import type { Sent } from "../delivery/index.ts";
import { headline, type MessageItem } from "./message-item.ts";
import type { SlackApi } from "./slack-api.ts";
import { detailBlocks, itemBlocks, listBlocks } from "./slack-blocks.ts";

export interface SlackPost {
  readonly api: SlackApi;
  readonly conversation: string;
  readonly target: TargetKey;
  readonly store: Pick<ChannelStore, "addPosting" | "listPostings"> & Pick<RunStore, "getApproval">;
}

/** Posts a message with its details in a thread; of several items each has its own message there. */
export async function postToSlack(post: SlackPost, items: readonly MessageItem[], signal: AbortSignal): Promise<Sent> {
  const [only] = items;
  const isOne = items.length === 1 && only !== undefined;
  const blocks = isOne ? itemBlocks(only) : listBlocks(items);
  const posted = await say(post, headline(items), blocks, null, signal);
  if (!posted.ok) return posted.sent;
  if (isOne) await remember(post, only, posted.place, posted.ts);
  // The message is there: what goes into its thread must not send it a second time.
  for (const item of items) await follow(post, item, posted.ts, isOne, signal);
  return { kind: "delivered", status: 200 };
}

async function follow(
  post: SlackPost,
  item: MessageItem,
  thread: string,
  isShown: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (!isShown) {
    const own = await say(post, item.notice.title, itemBlocks(item), thread, signal);
    if (own.ok) await remember(post, item, own.place, own.ts);
  }
  const details = detailBlocks(item);
  if (details.length > 0) await say(post, "Details", details, thread, signal);
}

type Said =
  | { readonly ok: true; readonly place: string; readonly ts: string }
  | { readonly ok: false; readonly sent: Sent };

async function say(
  { api, conversation }: SlackPost,
  text: string,
  blocks: readonly JsonObject[],
  thread: string | null,
  signal: AbortSignal,
): Promise<Said> {
  const args = { channel: conversation, text, blocks, unfurl_links: false, unfurl_media: false };
  const threaded = thread === null ? args : { ...args, thread_ts: thread };
  const reply = await api.call("chat.postMessage", threaded, signal);
  if (!reply.ok) return reply;
  const [place, ts] = [getOwn(reply.body, "channel"), getOwn(reply.body, "ts")];
  return { ok: true, place: typeof place === "string" ? place : conversation, ts: typeof ts === "string" ? ts : "" };
}

/** What was answered while the message was on its way is shown as answered. */
async function remember(post: SlackPost, item: MessageItem, place: string, ts: string): Promise<void> {
  const { approval } = item;
  if (approval === null || ts === "") return;
  const { store, target } = post;
  const posting = { ...target, approvalId: approval.id, place, id: ts };
  await store.addPosting(posting);
  const now = await store.getApproval(target.orgId, approval.id);
  if (now !== undefined && now.status !== approval.status) await change(post, posting, { ...item, approval: now });
}

/** Brings every message about an approval to its present state. */
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
