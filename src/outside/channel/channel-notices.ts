import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../core/base/index.ts";
import type { Channel } from "../../registry/index.ts";
import { channelTarget, everyEntry, type NewDelivery } from "../../store/index.ts";
import { deliveryOf, type Message, noticeMessage, type TargetKind } from "../delivery/index.ts";
import type { Notice } from "./notice.ts";
import type { ChannelTargetsOptions } from "./channel-target.ts";

/** Returns the deliveries to channels for a notice that is neither in a run nor in the audit: an alert, a launch reminder. */
export async function channelDeliveriesTo(
  kind: TargetKind,
  store: Pick<ChannelTargetsOptions["store"], "listEntries">,
  orgId: string,
  { message, at, data }: { readonly message: Message; readonly at: number; readonly data: JsonObject },
): Promise<readonly NewDelivery[]> {
  const entries = (await everyEntry(store, orgId, "channel")).filter((entry) => kind.isEnabled(entry));
  if (entries.length === 0) return [];
  const occurrence = { orgId, message, at, run: null, data };
  const deliveries: NewDelivery[] = [];
  for (const target of await kind.open(orgId, entries, () => 0)) {
    if (target.wants(message.type)) deliveries.push(...(await target.deliveriesOf(occurrence)));
  }
  return deliveries;
}

/** Returns a test message, one for each address of a channel. */
export function testDeliveries(channel: Channel, orgId: string, by: string, at: number): readonly NewDelivery[] {
  const message = noticeMessage("channel.test", `test/${randomUUID()}`, at, {});
  const notice: Notice = {
    on: "test",
    at,
    title: `Test of the channel ${channel.id}`,
    detail: `${by} asked for this message. Nothing has to be done.`,
    workflow: null,
    runId: null,
    approvalId: null,
    urgency: null,
    person: null,
  };
  const body = JSON.stringify(notice);
  const addresses = channel.mail?.addresses ?? [];
  const recipients = addresses.length === 0 ? [null] : addresses;
  return recipients.map((recipient) => deliveryOf(message, orgId, channelTarget(channel.id), { body, recipient }));
}
