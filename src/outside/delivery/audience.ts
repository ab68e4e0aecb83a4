import { entryKindOf } from "../../registry/index.ts";
import { type Entry, everyEntry, type FeedStore, type RegistryStore, type Subscription } from "../../store/index.ts";
import type { Target, TargetKind } from "./target.ts";

/** All targets that listen to an organisation, for one version of its registered entries. */
export interface Audience {
  readonly version: number;
  readonly targets: readonly Target[];
}

export interface AudiencesOptions {
  readonly store: Pick<FeedStore, "listListeningOrganisations" | "subscribe"> &
    Pick<RegistryStore, "configVersions" | "listEntries">;
  readonly kinds: readonly TargetKind[];
}

/** The entries of one kind that are enabled. */
interface Registered {
  readonly kind: TargetKind;
  readonly entries: readonly Entry[];
}

const LOADS_MAX = 5;

/** The targets that listen to each organisation, as of the last check. While there are none, nothing else is queried. */
export class Audiences {
  readonly #options: AudiencesOptions;
  readonly #versions = new Map<string, number>();
  readonly #audiences = new Map<string, Audience>();
  readonly #wanted = new Map<string, boolean>();
  #isLoaded = false;

  constructor(options: AudiencesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#audiences.size === 0;
  }

  /** Called for every event of every commit, so the result is cached per type. */
  wantsAny(type: string): boolean {
    const known = this.#wanted.get(type);
    if (known !== undefined) return known;
    const targets = [...this.#audiences.values()].flatMap((audience) => audience.targets);
    const isAny = targets.some((target) => target.wants(type));
    this.#wanted.set(type, isAny);
    return isAny;
  }

  of(orgId: string): Audience | undefined {
    return this.#audiences.get(orgId);
  }

  /** Loads the entries that were registered since the last check. */
  async look(): Promise<void> {
    const { store } = this.#options;
    const versions = await store.configVersions();
    const before = this.#isLoaded ? null : new Set(await store.listListeningOrganisations());
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

  /** With `isChanged`, the stored subscriptions are replaced even when there are none now, since they may be out of date. */
  async #load(orgId: string, first: number, isChanged: boolean): Promise<void> {
    const { store } = this.#options;
    let version = first;
    for (let loads = 0; loads < LOADS_MAX; loads += 1) {
      const registered = await this.#registered(orgId);
      const wanted = registered.flatMap(({ kind, entries }) =>
        entries.map((entry): Subscription => ({ targetId: kind.targetId(entry.id), since: sinceOf(entry) })),
      );
      const isKept = isChanged || wanted.length > 0 || this.#audiences.has(orgId);
      const kept = isKept ? await store.subscribe(orgId, version, wanted) : [];
      if (kept !== null) {
        await this.#keep(orgId, version, registered, kept);
        return;
      }
      version = (await store.configVersions()).get(orgId) ?? version;
    }
  }

  async #registered(orgId: string): Promise<readonly Registered[]> {
    const { store, kinds } = this.#options;
    const all: Registered[] = [];
    for (const kind of kinds) {
      const entries = await everyEntry(store, orgId, entryKindOf(kind.kind));
      all.push({ kind, entries: entries.filter((entry) => kind.isEnabled(entry)) });
    }
    return all;
  }

  async #keep(
    orgId: string,
    version: number,
    registered: readonly Registered[],
    kept: readonly Subscription[],
  ): Promise<void> {
    const since = new Map(kept.map((one) => [one.targetId, one.since]));
    const targets: Target[] = [];
    for (const { kind, entries } of registered) {
      const from = (entry: Entry): number => since.get(kind.targetId(entry.id)) ?? sinceOf(entry);
      targets.push(...(await kind.open(orgId, entries, from)));
    }
    this.#versions.set(orgId, version);
    this.#wanted.clear();
    if (targets.length === 0) this.#audiences.delete(orgId);
    else this.#audiences.set(orgId, { version, targets });
  }
}

/** Returns when a target that did not listen before starts to: its creation, or the last change, which enabled it. */
function sinceOf({ revision, createdAt, updatedAt }: Entry): number {
  return revision === 1 ? createdAt : updatedAt;
}
