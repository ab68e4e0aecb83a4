import { openSecrets, secretPlace, webhookOf, type Webhook } from "../../registry/index.ts";
import type { SecretBox } from "../../gateway/index.ts";
import { type Entry, everyEntry, type FeedStore, type RegistryStore, type Subscription } from "../../store/index.ts";
import { isWanted } from "./interest.ts";
import { keysOf } from "./signature.ts";

/** A webhook that listens. */
export interface Subscriber extends Pick<Webhook, "id" | "url" | "events"> {
  /** What happened before is not for it. */
  readonly since: number;
  /** None: what it is sent is not signed. Null: there is a secret, and it cannot be opened. */
  readonly keys: readonly Uint8Array[] | null;
}

/** All webhooks that listen to an organisation, as of a version of what is registered. */
export interface Audience {
  readonly version: number;
  readonly subscribers: readonly Subscriber[];
}

export interface SubscribersOptions {
  readonly store: Pick<FeedStore, "listWebhookOrganisations" | "subscribe"> &
    Pick<RegistryStore, "configVersions" | "listEntries" | "entrySecrets">;
  readonly box: SecretBox;
}

const LOADS_MAX = 5;

/** Which webhooks listen to which organisation, as of the last look. While there are none, nothing else is queried. */
export class Subscribers {
  readonly #options: SubscribersOptions;
  readonly #versions = new Map<string, number>();
  readonly #audiences = new Map<string, Audience>();
  readonly #wanted = new Map<string, boolean>();
  #isLoaded = false;

  constructor(options: SubscribersOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#audiences.size === 0;
  }

  /** Asked for every event of every commit, so that each type is worked out once. */
  wantsAny(type: string): boolean {
    const known = this.#wanted.get(type);
    if (known !== undefined) return known;
    const subscribers = [...this.#audiences.values()].flatMap((audience) => audience.subscribers);
    const isAny = subscribers.some(({ events }) => isWanted(events, type));
    this.#wanted.set(type, isAny);
    return isAny;
  }

  of(orgId: string): Audience | undefined {
    return this.#audiences.get(orgId);
  }

  /** Looks for what was registered since the last time. */
  async look(): Promise<void> {
    const { store } = this.#options;
    const versions = await store.configVersions();
    const before = this.#isLoaded ? null : new Set(await store.listWebhookOrganisations());
    for (const [orgId, version] of versions) {
      if (this.#versions.get(orgId) === version) continue;
      if (before === null || before.has(orgId)) await this.#load(orgId, version, before !== null);
      else this.#versions.set(orgId, version);
    }
    this.#isLoaded = true;
  }

  async refresh(orgId: string): Promise<void> {
    const version = (await this.#options.store.configVersions()).get(orgId);
    if (version !== undefined) await this.#load(orgId, version, true);
  }

  /** `isNews`: what is kept of its subscriptions may be wrong even when it has none. */
  async #load(orgId: string, first: number, isChanged: boolean): Promise<void> {
    const { store } = this.#options;
    let version = first;
    for (let loads = 0; loads < LOADS_MAX; loads += 1) {
      const entries = (await everyEntry(store, orgId, "webhook")).filter((entry) => webhookOf(entry).isEnabled);
      const wanted = entries.map((entry): Subscription => ({ webhookId: entry.id, since: sinceOf(entry) }));
      const isKept = isChanged || wanted.length > 0 || this.#audiences.has(orgId);
      const kept = isKept ? await store.subscribe(orgId, version, wanted) : [];
      if (kept !== null) {
        await this.#keep(orgId, version, entries, kept);
        return;
      }
      version = (await store.configVersions()).get(orgId) ?? version;
    }
  }

  async #keep(orgId: string, version: number, entries: readonly Entry[], kept: readonly Subscription[]): Promise<void> {
    const since = new Map(kept.map((one) => [one.webhookId, one.since]));
    const subscribers: Subscriber[] = [];
    for (const entry of entries) {
      const { id, url, events } = webhookOf(entry);
      const keys = await this.#keysOf(orgId, id);
      subscribers.push({ id, url, events, keys, since: since.get(id) ?? sinceOf(entry) });
    }
    this.#versions.set(orgId, version);
    this.#wanted.clear();
    if (subscribers.length === 0) this.#audiences.delete(orgId);
    else this.#audiences.set(orgId, { version, subscribers });
  }

  async #keysOf(orgId: string, id: string): Promise<readonly Uint8Array[] | null> {
    const { store, box } = this.#options;
    const kept = await store.entrySecrets(orgId, "webhook", id);
    const { secret } = openSecrets(box, secretPlace(orgId, "webhook", id), kept);
    if (secret !== undefined) return keysOf(secret);
    return Object.hasOwn(kept, "secret") ? null : [];
  }
}

/** From when a webhook listens that did not before: it is new, or it was enabled by its last change. */
function sinceOf({ revision, createdAt, updatedAt }: Entry): number {
  return revision === 1 ? createdAt : updatedAt;
}
