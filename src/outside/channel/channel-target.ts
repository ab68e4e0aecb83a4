import type { Clock } from "../../clock/index.ts";
import { type Channel, channelOf } from "../../registry/index.ts";
import type { Secrets } from "../../secrets/index.ts";
import {
  channelTarget,
  type ChannelStore,
  type ClaimedDelivery,
  type NewDelivery,
  type RegistryStore,
  type RunStore,
  type WorkflowStore,
} from "../../store/index.ts";
import {
  deliveryOf,
  type Occurrence,
  type Pause,
  type Reach,
  type Target,
  type TargetKind,
} from "../delivery/index.ts";
import { sentOfRefusal } from "../webhook/index.ts";
import { ApprovalTickets } from "./approval-ticket.ts";
import { ChannelRules } from "./channel-rules.ts";
import { ChannelSender } from "./channel-sender.ts";
import { type Happening, happeningOf, isUpdating, kindOfType, type Notice } from "./notice.ts";
import { quietMs } from "./quiet-hours.ts";
import type { Recipient, Recipients } from "./recipient.ts";
import { SLACK_URL } from "./slack-api.ts";

export interface ChannelTargetsOptions {
  readonly store: ChannelStore &
    Pick<RunStore, "getApproval" | "getRun"> &
    Pick<WorkflowStore, "getWorkflow" | "getDefinition"> &
    Pick<RegistryStore, "listEntries"> &
    ConstructorParameters<typeof ApprovalTickets>[0];
  /** Opens the secrets of channels. */
  readonly secrets: Pick<Secrets, "openEntry">;
  readonly clock: Pick<Clock, "now">;
  /** Private addresses are refused unless this allows them. */
  readonly reach?: Reach;
  readonly recipients: Recipients;
  /** Base URL of the console, read when a message is built. */
  readonly publicUrl: () => string;
  /** Default: Slack's own API. */
  readonly slackUrl?: string;
}

/** Creates the target kind for channels: people receive messages as the rules of channels define. */
export function channelTargets(options: ChannelTargetsOptions): TargetKind {
  const { store, secrets, recipients } = options;
  const rules = new ChannelRules(store);
  const tickets = new ApprovalTickets(store);
  const happenings = new Happenings(store);
  const { reach = {}, clock, publicUrl, slackUrl = SLACK_URL } = options;
  const sender = new ChannelSender({ store, tickets, reach, clock, publicUrl, slackUrl });
  return {
    kind: "Channel",
    targetId: channelTarget,
    isEnabled: (entry) => channelOf(entry).isEnabled,
    open: async (orgId, entries, sinceOf) => {
      const all = entries.map(channelOf);
      const targets: Target[] = [];
      for (const entry of entries) {
        const channel = channelOf(entry);
        targets.push({
          id: channelTarget(entry.id),
          since: sinceOf(entry),
          wants: (type) => isForType(channel, type),
          deliveriesOf: async (occurrence) => {
            const happening = asShown(await happenings.of(occurrence), channel, occurrence);
            if (happening === null || !(await rules.isUsed(channel.id, happening, all, orgId))) return [];
            return deliveriesFor(channel, occurrence, happening, recipients);
          },
          pause: (delivery) => pauseOf(channel, delivery, options),
          send: async (deliveries, signal) => {
            // Opened for each message, so that a replaced secret takes effect immediately.
            const opened = await secrets.openEntry(orgId, "channel", entry.id);
            const [refusal] = Object.values(opened.refusals);
            if (refusal !== undefined) return sentOfRefusal(refusal);
            return sender.send({ orgId, channel, secrets: opened.secrets }, deliveries, signal);
          },
        });
      }
      return targets;
    },
  };
}

/** Only messages in Slack can be changed after they were sent, so only Slack receives updates. */
function isForType({ type: kind }: Channel, type: string): boolean {
  const on = kindOfType(type);
  return on !== undefined && (on !== "update" || kind === "slack");
}

/** Slack gets an update of the sent message. On other channels, only people who have to answer again get a message. */
function asShown(happening: Happening | null, { type: kind }: Channel, { message }: Occurrence): Happening | null {
  if (happening === null || !isUpdating(message.type)) return happening;
  if (kind === "slack") return { ...happening, notice: { ...happening.notice, on: "update" }, only: null };
  return happening.only?.length === 0 ? null : happening;
}

/** Caches the happening of an occurrence, so that several channels share one look-up. */
class Happenings {
  readonly #store: Pick<RunStore, "getApproval" | "getRun">;
  readonly #known = new WeakMap<Occurrence, Promise<Happening | null>>();

  constructor(store: Pick<RunStore, "getApproval" | "getRun">) {
    this.#store = store;
  }

  of(occurrence: Occurrence): Promise<Happening | null> {
    const known = this.#known.get(occurrence);
    if (known !== undefined) return known;
    const found = happeningOf(occurrence, this.#store);
    this.#known.set(occurrence, found);
    return found;
  }
}

const GROUPED: ReadonlySet<Notice["on"]> = new Set(["approval.requested", "run.failed"]);

async function deliveriesFor(
  channel: Channel,
  { orgId, message }: Occurrence,
  { notice, asked, only }: Happening,
  recipients: Recipients,
): Promise<readonly NewDelivery[]> {
  const targetId = channelTarget(channel.id);
  const isGrouped = channel.groupMs > 0 && GROUPED.has(notice.on);
  const grouping = isGrouped ? { groupKey: notice.on, delayMs: channel.groupMs } : {};
  const deliver = (recipient: Recipient | null): NewDelivery => {
    const person = recipient === null ? null : { id: recipient.personId, name: recipient.name };
    const body = JSON.stringify({ ...notice, person } satisfies Notice);
    return deliveryOf(message, orgId, targetId, { body, recipient: recipient?.email ?? null, ...grouping });
  };
  if (channel.mail === null) return [deliver(null)];
  const all = await peopleOf(channel, orgId, notice, only ?? asked, recipients);
  const people = only === null ? all : all.filter((person) => isAmong(person, only));
  if (only !== null && people.length === 0) return [];
  // Without any address, one delivery is created that fails, so that the delivery log shows the problem.
  return people.length === 0 ? [deliver(null)] : people.map(deliver);
}

function isAmong({ personId, email }: Recipient, names: readonly string[]): boolean {
  return names.some(
    (name) => name === `user:${personId ?? ""}` || name.toLowerCase() === `user:${email.toLowerCase()}`,
  );
}

async function peopleOf(
  { mail }: Channel,
  orgId: string,
  { approvalId }: Notice,
  asked: readonly string[],
  recipients: Recipients,
): Promise<readonly Recipient[]> {
  const byAddress = new Map<string, Recipient>();
  const add = (person: Recipient): unknown => byAddress.set(person.email.toLowerCase(), person);
  for (const email of mail?.addresses ?? []) {
    add((await recipients.forAddress(orgId, email)) ?? { personId: null, email, name: email });
  }
  if (mail?.isToApprovers === true && approvalId !== null) {
    for (const person of await recipients.forApproval(orgId, asked)) add(person);
  }
  return [...byAddress.values()];
}

/** Returns the delay for quiet hours or the rate limit. Test messages and updates are not delayed. */
async function pauseOf(
  { id, quietHours, perMinute }: Channel,
  { orgId, body }: ClaimedDelivery,
  { store, clock }: Pick<ChannelTargetsOptions, "store" | "clock">,
): Promise<Pause | null> {
  const { on, urgency } = JSON.parse(body) as Notice;
  if (on === "test" || on === "update") return null;
  const quiet = quietHours === null || urgency === "critical" ? 0 : quietMs(quietHours, clock.now());
  if (quiet > 0) return { delayMs: quiet, reason: "It waits for the end of the quiet hours." };
  if (perMinute === null) return null;
  const wait = await store.takeSendSlot({ orgId, targetId: channelTarget(id) }, perMinute);
  return wait > 0 ? { delayMs: wait, reason: `It waits: ${perMinute} messages were sent within a minute.` } : null;
}
