import { type Clock, Rounds } from "../../clock/index.ts";
import type { AuditStore, RegistryStore, RunStore, TicketStore, WebhookStore } from "../../store/index.ts";
import { Audiences } from "./audience.ts";
import { Deliverer } from "./deliverer.ts";
import { Feeder } from "./feeder.ts";
import type { TargetKind } from "./target.ts";

export interface DeliveriesOptions {
  readonly store: WebhookStore &
    RegistryStore &
    Pick<TicketStore, "pruneTickets"> &
    Pick<RunStore, "readEvents"> &
    Pick<AuditStore, "readSegment">;
  /** The kinds of targets that can receive deliveries. */
  readonly kinds: readonly TargetKind[];
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedDeliveries {
  /** Records events that this process has committed; costs nothing while no target listens. */
  onCommitted(runId: string, events: readonly { readonly type: string }[]): void;
  start(): void;
  stop(): Promise<void>;
  /** Feeds what has happened and sends what is due, now. Resolves when every try is finished. */
  round(): Promise<void>;
}

const EVERY_MS = 1_000;
/** Events within this time are fed together. */
const GATHER_MS = 50;

/** Opens everything a server sends outside: events become deliveries, and deliveries are retried until they arrive. */
export function openDeliveries({ store, kinds, clock, onTrouble }: DeliveriesOptions): OpenedDeliveries {
  const audiences = new Audiences({ store, kinds });
  const onSettled = (): void => delivering.wake();
  const deliverer = new Deliverer({ store, audiences, kinds, clock, onTrouble, onSettled });
  const feeder = new Feeder({ store, audiences, clock, onFed: () => delivering.wake() });
  const delivering = new Rounds({
    clock,
    everyMs: EVERY_MS,
    round: () => deliverer.round(),
    onTrouble: (error) => onTrouble("messages could not be delivered", error),
  });
  const feeding = new Rounds({
    clock,
    everyMs: EVERY_MS,
    round: () => feeder.round(),
    onTrouble: (error) => onTrouble("messages could not be made", error),
  });
  return {
    onCommitted(runId, events) {
      if (audiences.isEmpty || !events.some(({ type }) => audiences.wantsAny(type))) return;
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
