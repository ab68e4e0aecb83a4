import { digestJson } from "../../core/base/index.ts";
import type { Trigger } from "../../registry/index.ts";
import type { KeptEventRecord, RegistryStore } from "../../store/index.ts";
import { triggersForEvents } from "./event-triggers.ts";
import type { TriggerStarter } from "./trigger-starter.ts";

export interface EventStarterOptions {
  readonly store: Pick<RegistryStore, "listEntries">;
  readonly starter: Pick<TriggerStarter, "start">;
  readonly now: () => number;
}

/** Triggers are cached this long, so a change takes effect within a second. */
const KNOWN_MS = 1_000;

interface Known {
  readonly until: number;
  readonly byType: ReadonlyMap<string, readonly Trigger[]>;
}

/**
 * Starts runs for events. A trigger takes each event once, by its id, so a repeated call starts nothing again. Rejects
 * when a trigger could not take the event now, after all others have taken it; the caller then calls it again.
 */
export class EventStarter {
  readonly #options: EventStarterOptions;
  /** Triggers by organisation, cached: reading them for every event would be one scan each. Oldest entry first. */
  readonly #known = new Map<string, Known>();

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
    const delivered = { body: { id, type, key, data }, headers: {}, query: {} };
    const outcome = await this.#options.starter.start({ orgId, trigger, delivered, deliveryId: id, hops: hops + 1 });
    if (outcome.kind === "limited") throw new Error(`the trigger ${trigger.name} takes no more events in this minute`);
  }

  async #triggersFor(orgId: string, type: string): Promise<readonly Trigger[]> {
    const { store, now } = this.#options;
    const known = this.#known.get(orgId);
    if (known !== undefined && known.until > now()) return known.byType.get(type) ?? [];
    const byType = await triggersForEvents(store, orgId);
    this.#dropExpired();
    this.#known.delete(orgId);
    this.#known.set(orgId, { until: now() + KNOWN_MS, byType });
    return byType.get(type) ?? [];
  }

  #dropExpired(): void {
    for (const [orgId, { until }] of this.#known) {
      if (until > this.#options.now()) return;
      this.#known.delete(orgId);
    }
  }
}
