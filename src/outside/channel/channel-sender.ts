import { createHash } from "node:crypto";
import type { Clock } from "../../clock/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { Channel } from "../../registry/index.ts";
import {
  channelTarget,
  type ApprovalRecord,
  type ChannelStore,
  type ClaimedDelivery,
  type RunStore,
} from "../../store/index.ts";
import type { Reach, Sent } from "../delivery/index.ts";
import { keysOf, sendSigned } from "../webhook/index.ts";
import type { ApprovalTickets } from "./approval-ticket.ts";
import { approvalUrl, runUrl } from "./console-url.ts";
import { sendLetter } from "./email.ts";
import { itemOf, type MessageItem } from "./message-item.ts";
import type { Notice } from "./notice.ts";
import { postToSlack, type SlackItem, type SlackPost, updateInSlack } from "./slack.ts";
import { SlackApi } from "./slack-api.ts";
import { postCard } from "./teams.ts";

export interface ChannelSenderOptions {
  readonly store: ChannelStore & Pick<RunStore, "getApproval">;
  readonly tickets: ApprovalTickets;
  readonly reach: Reach;
  readonly clock: Pick<Clock, "now">;
  readonly publicUrl: () => string;
  readonly slackUrl: string;
}

/** A channel with its decrypted secrets, opened for one message. */
export interface OpenChannel {
  readonly orgId: string;
  readonly channel: Channel;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A delivery, and the current state of its approval. */
interface Current {
  readonly delivery: ClaimedDelivery;
  readonly notice: Notice;
  readonly approval: ApprovalRecord | null;
}

/** Builds messages from deliveries and sends them to the service of the channel. */
export class ChannelSender {
  readonly #options: ChannelSenderOptions;

  constructor(options: ChannelSenderOptions) {
    this.#options = options;
  }

  async send(open: OpenChannel, deliveries: readonly ClaimedDelivery[], signal: AbortSignal): Promise<Sent> {
    const all: Current[] = [];
    for (const delivery of deliveries) all.push(await this.#current(open.orgId, delivery));
    const wanted = all.filter(isWanted);
    const [first] = wanted;
    if (first === undefined) return { kind: "refused", error: "Not sent: it was answered before." };
    switch (open.channel.type) {
      case "console":
        // The inbox of the console shows the approval without a message.
        return { kind: "delivered", status: null };
      case "email":
        return this.#sendLetter(open, first.delivery, wanted, signal);
      case "slack":
        return this.#sendToSlack(open, wanted, signal);
      case "teams":
        return postCard(open.channel.url, await this.#items(open, wanted, SHARED), this.#options.reach, signal);
      case "webhook":
        return this.#sendSigned(open, wanted, signal);
    }
  }

  async #current(orgId: string, delivery: ClaimedDelivery): Promise<Current> {
    const notice = JSON.parse(delivery.body) as Notice;
    const { approvalId } = notice;
    const approval = approvalId === null ? undefined : await this.#options.store.getApproval(orgId, approvalId);
    return { delivery, notice, approval: approval ?? null };
  }

  async #sendLetter(
    { orgId, channel, secrets }: OpenChannel,
    { recipient }: ClaimedDelivery,
    wanted: readonly Current[],
    signal: AbortSignal,
  ): Promise<Sent> {
    const { mail } = channel;
    const [first] = wanted;
    if (mail === null || recipient === null) return { kind: "refused", error: noAddress(first) };
    const { password = null } = secrets;
    const { person = null } = first?.notice ?? {};
    const items = await this.#items({ orgId, channel, secrets }, wanted, { recipient, person });
    const letter = { to: recipient, name: person?.name ?? "", items, id: idOf(wanted) };
    return sendLetter(mail, password, letter, this.#options.reach, signal);
  }

  async #sendToSlack(open: OpenChannel, wanted: readonly Current[], signal: AbortSignal): Promise<Sent> {
    const { orgId, channel, secrets } = open;
    const { token } = secrets;
    if (token === undefined)
      return { kind: "refused", error: "Not sent: the channel has no token that can be opened." };
    const { store, slackUrl, reach } = this.#options;
    const api = new SlackApi(slackUrl, reach, token);
    const target = { orgId, targetId: channelTarget(channel.id) };
    const post: SlackPost = { api, conversation: channel.conversation, target, store };
    const items: SlackItem[] = [];
    for (const one of wanted) items.push({ item: await this.#item(open, one, null), delivery: one.delivery });
    const [first] = items;
    if (first?.item.notice.on === "update") return updateInSlack(post, first.item, signal);
    return postToSlack(post, items, signal);
  }

  /** Sends in the format of webhooks, so that one receiver can handle both. */
  async #sendSigned(open: OpenChannel, wanted: readonly Current[], signal: AbortSignal): Promise<Sent> {
    const { channel, secrets } = open;
    const { reach, clock } = this.#options;
    const items = await this.#items(open, wanted, null);
    const data = items.map(({ notice, approval, link, sections }) => {
      const { person: _person, at, ...about } = notice;
      const subject = channel.hasContent ? { subject: approval?.subject ?? null, sections } : {};
      return { ...about, at: isoFromEpochMs(at), link, ...subject };
    });
    const [only] = data;
    const type = only?.on ?? "test";
    const body = JSON.stringify({
      type,
      timestamp: only?.at ?? isoFromEpochMs(clock.now()),
      data: data.length === 1 ? only : { items: data },
    });
    const { secret } = secrets;
    const keys = secret === undefined ? [] : keysOf(secret);
    return sendSigned({ id: idOf(wanted), body }, { url: channel.url, keys }, reach, clock.now(), signal);
  }

  /** `reader`: the recipient of the tickets; null to link to the console. */
  async #items(open: OpenChannel, wanted: readonly Current[], reader: Reader | null): Promise<readonly MessageItem[]> {
    const items: MessageItem[] = [];
    for (const one of wanted) items.push(await this.#item(open, one, reader));
    return items;
  }

  async #item({ orgId, channel }: OpenChannel, about: Current, reader: Reader | null): Promise<MessageItem> {
    const { notice, approval } = about;
    const link = await this.#link(orgId, channel, notice, approval, reader);
    return itemOf(notice, approval, link, channel.hasContent);
  }

  async #link(
    orgId: string,
    channel: Channel,
    { runId }: Notice,
    approval: ApprovalRecord | null,
    reader: Reader | null,
  ): Promise<string | null> {
    const base = this.#options.publicUrl().replace(/\/+$/, "");
    if (base === "") return null;
    if (approval === null) return runId === null ? null : base + runUrl(orgId, runId);
    if (reader === null) return base + approvalUrl(approval);
    const { recipient, person } = reader;
    const path = await this.#options.tickets.issue({
      orgId,
      approvalId: approval.id,
      channel: channel.id,
      personId: person?.id ?? null,
      address: recipient,
      name: person?.name ?? recipient,
    });
    return base + path;
  }
}

/** The recipient of a message. */
interface Reader {
  /** Empty when several people read the message. Its ticket then only shows the approval and takes no answer. */
  readonly recipient: string;
  readonly person: Notice["person"];
}

const SHARED: Reader = { recipient: "", person: null };

/**
 * Returns the id by which a receiver detects a repeated message. The id of several items follows from all of them: with
 * the id of the first, a receiver would drop another group that begins with the same item, and lose the others.
 */
function idOf(wanted: readonly Current[]): string {
  const ids = wanted.map(({ delivery }) => delivery.id);
  const [only = ""] = ids;
  if (ids.length === 1) return only;
  return `msg_${createHash("sha256").update(ids.join(" "), "utf8").digest("hex").slice(0, 32)}`;
}

/** An approval that was answered in the meantime is not sent. */
function isWanted({ notice, approval }: Current): boolean {
  if (!notice.on.startsWith("approval.")) return true;
  return approval !== null && approval.status === "pending";
}

/** Returns an error for the delivery log, with the way to fix it. */
function noAddress(about: Current | undefined): string {
  const approval = about?.approval ?? null;
  if (approval === null)
    return "Not sent: there is no address to write to; only approvals have approvers, so list addresses in to.";
  const asked = approval.approvers.slice(0, approval.hop + 1).map(({ who }) => who);
  const who = asked.length === 0 ? "no member" : `no member of ${asked.join(", ")}`;
  return `Not sent: there is no address to write to; ${who} has an address and a role that may answer (governance:approve).`;
}
