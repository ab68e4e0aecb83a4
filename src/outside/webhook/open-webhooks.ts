import { type Clock, Rounds } from "../../clock/index.ts";
import type { SecretBox } from "../../gateway/index.ts";
import type { AuditStore, RegistryStore, RunStore, WebhookStore } from "../../store/index.ts";
import { Deliverer } from "./deliverer.ts";
import { Feeder } from "./feeder.ts";
import type { Reach } from "./send.ts";
import { Subscribers } from "./subscribers.ts";

export interface WebhooksOptions {
  readonly store: WebhookStore & RegistryStore & Pick<RunStore, "readEvents"> & Pick<AuditStore, "readSegment">;
  /** What opens the secrets of webhooks. */
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Private addresses are refused unless this allows them. */
  readonly reach?: Reach;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedWebhooks {
  /** Events this process has committed; costs nothing while there are no webhooks. */
  onCommitted(runId: string, events: readonly { readonly type: string }[]): void;
  start(): void;
  stop(): Promise<void>;
  /** Feeds what has happened and delivers what is due, now; resolves when it has arrived. */
  round(): Promise<void>;
}

const EVERY_MS = 1_000;
/** What comes in quick succession is fed together. */
const GATHER_MS = 50;

/** Outgoing webhooks of a server. */
export function openWebhooks({ store, box, clock, reach = {}, onTrouble }: WebhooksOptions): OpenedWebhooks {
  const subscribers = new Subscribers({ store, box });
  const deliverer = new Deliverer({
    store,
    subscribers,
    clock,
    reach,
    onTrouble,
    onSettled: () => delivering.wake(),
  });
  const feeder = new Feeder({ store, subscribers, clock, onFed: () => delivering.wake() });
  const delivering = new Rounds({
    clock,
    everyMs: EVERY_MS,
    round: () => deliverer.round(),
    onTrouble: (error) => onTrouble("webhooks could not be delivered", error),
  });
  const feeding = new Rounds({
    clock,
    everyMs: EVERY_MS,
    round: () => feeder.round(),
    onTrouble: (error) => onTrouble("webhooks could not be fed", error),
  });
  return {
    onCommitted(runId, events) {
      if (subscribers.isEmpty || !events.some(({ type }) => subscribers.wantsAny(type))) return;
      feeder.touch(runId);
      feeding.wake(GATHER_MS);
    },
    start() {
      feeding.start();
      delivering.start();
    },
    async stop() {
      await feeding.stop();
      await delivering.stop();
      await deliverer.stop();
    },
    async round() {
      await feeder.round();
      await deliverer.round();
      await deliverer.settled();
    },
  };
}
