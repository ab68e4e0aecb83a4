import { digestJson, LIMITS } from "../../core/base/index.ts";
import type { Trigger } from "../../registry/index.ts";
import type { KeptEventRecord, RegistryStore } from "../../store/index.ts";
import { triggersForEvents } from "./event-triggers.ts";
import type { TriggerStarter } from "./trigger-starter.ts";

export interface EventStarterOptions {
  readonly store: Pick<RegistryStore, "listEntries">;
  readonly starter: Pick<TriggerStarter, "start" | "refuse">;
}

const LOOP = `the event comes from a run that ended a chain of more than ${LIMITS.eventChainRunsMax} runs`;

type TriggersByType = Awaited<ReturnType<typeof triggersForEvents>>;

/**
 * Starts runs for events. A trigger takes each event once, by its id, so a repeated call starts nothing again. Rejects
 * when a trigger could not take the event now, after all others have taken it; the caller then calls it again.
 */
export class EventStarter {
  readonly #options: EventStarterOptions;
  /** Reads of triggers that have not begun, by organisation. All events that come before they begin share them. */
  readonly #planned = new Map<string, Promise<TriggersByType>>();
  /** Reads that have begun. An event that comes later needs another one: a trigger may have changed in between. */
  readonly #begun = new Map<string, Promise<TriggersByType>>();

  constructor(options: EventStarterOptions) {
    this.#options = options;
  }

  async start(event: KeptEventRecord): Promise<void> {
    const troubles: unknown[] = [];
    for (const trigger of await this.#triggersFor(event.orgId, event.type)) {
      await this.#startBy(trigger, event).catch((error: unknown) => troubles.push(error));
    }
    if (troubles.length > 0) throw troubles[0];
  }

  async #startBy(trigger: Trigger, { orgId, id, type, key, data, keyDigest, hops }: KeptEventRecord): Promise<void> {
    const { on } = trigger;
    if (on.kind !== "event" || (on.match !== null && digestJson(on.match) !== keyDigest)) return;
    // The run that sent the event has ended its chain, and only its `finally` was left.
    if (hops > LIMITS.eventChainRunsMax) return this.#options.starter.refuse(orgId, trigger, id, "event_loop", LOOP);
    const delivered = { body: { id, type, key, data }, headers: {}, query: {} };
    const outcome = await this.#options.starter.start({ orgId, trigger, delivered, deliveryId: id, hops });
    if (outcome.kind === "limited") throw new Error(`the trigger ${trigger.name} takes no more events in this minute`);
  }

  async #triggersFor(orgId: string, type: string): Promise<readonly Trigger[]> {
    const planned = this.#planned.get(orgId) ?? this.#readAfter(orgId, this.#begun.get(orgId));
    this.#planned.set(orgId, planned);
    return (await planned).get(type) ?? [];
  }

  async #readAfter(orgId: string, before: Promise<unknown> | undefined): Promise<TriggersByType> {
    // The result of the read before belongs to the events that wait for it.
    await before?.catch(() => undefined);
    this.#planned.delete(orgId);
    const read = triggersForEvents(this.#options.store, orgId);
    this.#begun.set(orgId, read);
    try {
      return await read;
    } finally {
      if (this.#begun.get(orgId) === read) this.#begun.delete(orgId);
    }
  }
}
