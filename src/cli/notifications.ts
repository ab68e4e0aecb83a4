import { AlertWatch } from "../outside/alert/index.ts";
import type { Clock } from "../clock/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { Secrets } from "../secrets/index.ts";
import type { OutboundGuard } from "../outbound/index.ts";
import type { NewDelivery, Store } from "../store/index.ts";
import { channelDeliveriesTo, channelTargets } from "../outside/channel/index.ts";
import { type DeliveryNotice, noticeMessage, openDeliveries } from "../outside/delivery/index.ts";
import { deliveriesTo, webhookTargets } from "../outside/webhook/index.ts";
import { memberRecipients } from "../server/index.ts";
import { closeEach } from "./closing.ts";
import type { Log } from "./log.ts";

export interface NotificationParts {
  readonly store: Store;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly secrets: Secrets;
  /** Addresses that webhooks and channels may use. */
  readonly outbound: OutboundGuard;
  /** Returns the address at which people reach the server. Known only once the server listens. */
  readonly publicUrl: () => string;
  /** Address used in place of Slack. Null for Slack itself. */
  readonly slackUrl: string | null;
  readonly clock: Clock;
  /** Called when an alert fires, with the condition of the alert, to count it. */
  readonly onAlert: (on: string) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Parts that notify people outside: webhooks, channels and alerts. */
export interface Notifications {
  /** Returns the deliveries for a notice that is neither in a run nor in the audit. */
  deliveriesOf(notice: DeliveryNotice): Promise<readonly NewDelivery[]>;
  start(): void;
  stop(): Promise<void>;
}

export function openNotifications(log: Pick<Log, "warn">, parts: NotificationParts): Notifications {
  const { store, runtime, secrets, outbound, clock, publicUrl, slackUrl, onAlert, onTrouble } = parts;
  const reach = { allow: outbound.allow };
  const channels = channelTargets({
    store,
    secrets,
    clock,
    reach,
    recipients: memberRecipients(store, () => clock.now()),
    publicUrl,
    ...(slackUrl === null ? {} : { slackUrl }),
  });
  const deliveries = openDeliveries({
    store,
    kinds: [webhookTargets({ secrets, clock, reach }), channels],
    clock,
    onTrouble,
  });
  const channelNotices = ({ orgId, type, key, at, data }: DeliveryNotice): Promise<readonly NewDelivery[]> =>
    channelDeliveriesTo(channels, store, orgId, { message: noticeMessage(type, key, at, data), at, data });
  const { rounds: alerts } = new AlertWatch({
    store,
    clock,
    deliveriesOf: channelNotices,
    onFired: ({ orgId, alert, on, message, isForLog }) => {
      onAlert(on);
      if (isForLog) log.warn(`alert ${alert} of ${orgId}`, { reason: message, orgId });
    },
    onTrouble,
  });
  let unsubscribe: (() => void) | null = null;
  return {
    deliveriesOf: async (notice) => {
      const { orgId, type, key, at, data } = notice;
      const toWebhooks = await deliveriesTo(store, orgId, noticeMessage(type, key, at, data));
      return [...toWebhooks, ...(await channelNotices(notice))];
    },
    start() {
      unsubscribe = runtime.onCommitted((runId, events) => deliveries.onCommitted(runId, events));
      deliveries.start();
      alerts.start();
    },
    stop: () => closeEach([() => unsubscribe?.(), () => alerts.stop(), () => deliveries.stop()]),
  };
}
