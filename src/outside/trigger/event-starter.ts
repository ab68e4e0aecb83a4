import { digestJson, LIMITS } from "../../core/base/index.ts";
import type { Trigger } from "../../registry/index.ts";
import type { EventToDeliver, RegistryStore } from "../../store/index.ts";
import { triggersForEvents } from "./event-triggers.ts";
import type { TriggerStarter } from "./trigger-starter.ts";

export interface EventStarterOptions {
  readonly store: Pick<RegistryStore, "listEntries">;
  readonly starter: Pick<TriggerStarter, "start" | "refuse">;
}

const LOOP = `the event comes from a run that ended a chain of more than ${LIMITS.eventChainRunsMax} runs`;

type TriggersByType = Awaited<ReturnType<typeof triggersForEvents>>;

/** More organisations than this at a time would only make the server read some triggers again. */
const ORGANISATIONS_MAX = 10_000;

/**
 * Starts runs for events. A trigger takes each event once, by its id, so a repeated call starts nothing again. Rejects
 * when a trigger could not take the event now, after all others have taken it; the caller then calls it again.
 */
export class EventStarter {
  readonly #options: EventStarterOptions;
  /** By organisation. An event names the version it needs, so a changed trigger is known to the first event after the change. */
  readonly #known = new Map<string, { readonly version: number; readonly triggers: Promise<TriggersByType> }>();

  constructor(options: EventStarterOptions) {
    this.#options = options;
  }

  async start(event: EventToDeliver): Promise<void> {
    const troubles: unknown[] = [];
    const triggers = await this.#triggersOf(event);
    for (const trigger of triggers.get(event.type) ?? []) {
      await this.#startBy(trigger, event).catch((error: unknown) => troubles.push(error));
    }
    if (troubles.length > 0) throw troubles[0];
  }

  async #startBy(trigger: Trigger, { orgId, id, type, key, data, keyDigest, hops }: EventToDeliver): Promise<void> {
    const { on } = trigger;
    if (on.kind !== "event" || (on.match !== null && digestJson(on.match) !== keyDigest)) return;
    // The run that sent the event has ended its chain, and only its `finally` was left.
    if (hops > LIMITS.eventChainRunsMax) return this.#options.starter.refuse(orgId, trigger, id, "event_loop", LOOP);
    const delivered = { body: { id, type, key, data }, headers: {}, query: {} };
    const outcome = await this.#options.starter.start({ orgId, trigger, delivered, deliveryId: id, hops });
    if (outcome.kind === "limited") throw new Error(`the trigger ${trigger.name} takes no more events in this minute`);
  }

  #triggersOf({ orgId, configVersion: version }: EventToDeliver): Promise<TriggersByType> {
    const known = this.#known.get(orgId);
    if (known?.version === version) return known.triggers;
    const read = { version, triggers: triggersForEvents(this.#options.store, orgId) };
    this.#known.set(orgId, read);
    // A failed read is not kept: the database may only have been unavailable for a moment.
    read.triggers.catch(() => this.#known.get(orgId) === read && this.#known.delete(orgId));
    const oldest = this.#known.size > ORGANISATIONS_MAX ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
    return read.triggers;
  }
}
