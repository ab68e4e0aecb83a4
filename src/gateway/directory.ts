import type { BridgeRegistration, Registration } from "../bridge/index.ts";
import { type Clock, Rounds } from "../clock/index.ts";
import { invariant, type JsonObject } from "../core/base/index.ts";
import type { OutboundGuard } from "../outbound/index.ts";
import {
  type Entry,
  everyEntry,
  type GatewayBody,
  type GatewayLink,
  type GatewayStore,
  type RegistryStore,
} from "../store/index.ts";
import { changedLink, type LinkChange } from "./gateway-link.ts";
import { NEW_SPEC, specOf, specPartOf } from "./gateway-spec.ts";
import { type GatewayView, gatewayOf, LOCAL_GATEWAY, type LocalGateway } from "./gateway-view.ts";
import { gatewayPlace, type SecretBox } from "../seal/index.ts";
import { hashToken, randomToken } from "./token.ts";

export interface DirectoryOptions {
  readonly store: RegistryStore & GatewayStore;
  readonly box: SecretBox;
  readonly clock: Clock;
  /** Null when this server runs no attempts itself. */
  readonly local: LocalGateway | null;
  /** Decides which URLs may be called. Default: any URL, for programs that call none or only their own. */
  readonly outbound?: OutboundGuard | null;
  /** How long to wait for an offline Bridge before nodes fail because of it. */
  readonly graceMs?: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Known {
  readonly gateways: readonly GatewayView[];
  readonly tokens: ReadonlyMap<string, string>;
  readonly entries: readonly Entry[];
  /** Configuration version of the entries; null when it was not read. */
  readonly version: number | null;
  /** Number of the reading these come from. A later reading may finish before an earlier one. */
  readonly reading: number;
}

interface Reading extends Pick<Known, "entries" | "version" | "reading"> {
  readonly links: readonly GatewayLink[];
}

const REFRESH_MS = 1_000;
const TOKEN_MS = 2_000;
const TOKENS_MAX = 10_000;
const GRACE_MS = 30_000;

/** The gateways of every organisation that this process serves, read again every second. */
export class GatewayDirectory {
  readonly #options: DirectoryOptions;
  readonly #known = new Map<string, Known>();
  readonly #tokens = new Map<string, { readonly link: GatewayLink; readonly until: number }>();
  readonly #listeners = new Set<(gateway: GatewayView) => void>();
  readonly #rounds: Rounds;
  #readings = 0;

  constructor(options: DirectoryOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs: REFRESH_MS,
      round: () => this.#refreshAll(),
      onTrouble: (error) => onTrouble("the gateways could not be read", error),
    });
  }

  start(): void {
    this.#rounds.start(REFRESH_MS);
  }

  stop(): void {
    void this.#rounds.stop();
  }

  get graceMs(): number {
    return this.#options.graceMs ?? GRACE_MS;
  }

  /** Registers a listener for instance changes. When a new instance answers for a gateway, attempts on the old one are in doubt. */
  onInstanceChange(listener: (gateway: GatewayView) => void): void {
    this.#listeners.add(listener);
  }

  /** Loads the gateways of organisations that are not loaded yet. Afterwards `of` answers without waiting. */
  async ensure(orgIds: Iterable<string>): Promise<void> {
    for (const orgId of orgIds) if (!this.#known.has(orgId)) await this.refresh(orgId);
  }

  knows(orgId: string): boolean {
    return this.#known.has(orgId);
  }

  of(orgId: string): readonly GatewayView[] {
    return this.#known.get(orgId)?.gateways ?? [];
  }

  find(orgId: string, gatewayId: string): GatewayView | undefined {
    return this.of(orgId).find(({ id }) => id === gatewayId);
  }

  all(): readonly GatewayView[] {
    return [...this.#known.values()].flatMap(({ gateways }) => gateways);
  }

  dispatchToken(orgId: string, gatewayId: string): string | undefined {
    return this.#known.get(orgId)?.tokens.get(gatewayId);
  }

  async refresh(orgId: string): Promise<void> {
    const { store } = this.#options;
    const reading = (this.#readings += 1);
    const links = await store.listGatewayLinks(orgId);
    this.#keep(orgId, { links, entries: await everyEntry(store, orgId, "gateway"), version: null, reading });
  }

  /** Reads all organisations with two statements. Entries are read again only where the configuration changed. */
  async #refreshAll(): Promise<void> {
    const { store } = this.#options;
    const orgIds = [...this.#known.keys()];
    if (orgIds.length === 0) return;
    const reading = (this.#readings += 1);
    const versions = await store.configVersions();
    const links = new Map<string, GatewayLink[]>(orgIds.map((orgId) => [orgId, []]));
    for (const link of await store.listGatewayLinks(...orgIds)) links.get(link.orgId)?.push(link);
    for (const orgId of orgIds) {
      const before = this.#known.get(orgId);
      const version = versions.get(orgId) ?? 0;
      const isSame = before !== undefined && before.version === version;
      const entries = isSame ? before.entries : await everyEntry(store, orgId, "gateway");
      this.#keep(orgId, { links: links.get(orgId) ?? [], entries, version, reading });
    }
  }

  #keep(orgId: string, { links: listed, entries, version, reading }: Reading): void {
    const links = new Map(listed.map((link) => [link.gatewayId, link]));
    const gateways: GatewayView[] = [];
    const tokens = new Map<string, string>();
    for (const { id, body } of entries) {
      const link = links.get(id);
      gateways.push(this.#gatewayOf(orgId, id, body, link));
      const token = this.#dispatchTokenIn(link);
      if (token !== undefined) tokens.set(id, token);
    }
    if (!gateways.some(({ isLocal }) => isLocal)) gateways.push(...this.#bareLocal(orgId));
    const before = this.#known.get(orgId);
    if (before !== undefined && before.reading > reading) return;
    this.#known.set(orgId, { gateways, tokens, entries, version, reading });
    this.#notifyChanges(before?.gateways ?? [], gateways);
  }

  /** Returns the gateway that a callback token belongs to. */
  async authenticate(token: string): Promise<{ readonly orgId: string; readonly gatewayId: string } | undefined> {
    const hash = hashToken(token);
    const now = this.#options.clock.now();
    const cached = this.#tokens.get(hash);
    if (cached !== undefined && cached.until > now) return cached.link;
    this.#tokens.delete(hash);
    const link = await this.#options.store.findGatewayLink(hash);
    if (link === undefined) return undefined;
    if (this.#tokens.size >= TOKENS_MAX) this.#tokens.clear();
    this.#tokens.set(hash, { link, until: now + TOKEN_MS });
    return link;
  }

  /** Registers a Bridge instance as the one that answers for a gateway. Null when an instance that started later has registered. */
  async register(
    orgId: string,
    registration: Registration,
    callbackBase: string | null = null,
  ): Promise<(BridgeRegistration & { readonly isNew: boolean }) | null> {
    const { store, clock } = this.#options;
    const { id, instanceId } = registration;
    const startedAt = Date.parse(registration.instanceStartedAt);
    const link = (await store.listGatewayLinks(orgId)).find(({ gatewayId }) => gatewayId === id);
    if (link?.instanceId !== undefined && link.instanceId !== null && link.instanceId !== instanceId) {
      if ((link.instanceStartedAt ?? 0) > startedAt && link.status !== "offline") return null;
    }
    const entry = await store.getEntry(orgId, "gateway", id);
    const spec = { ...(entry === undefined ? NEW_SPEC : specOf(entry.body)), ...specPartOf(registration) };
    await store.putEntry(orgId, "gateway", id, { ...spec }, clock.now());
    const tokens = this.#hasTokens(link, registration)
      ? null
      : { dispatchToken: randomToken("dsp"), callbackToken: randomToken("cbt") };
    const { models = {}, turns = {}, secrets = {} } = registration;
    const facts = { callbackBase, models, turns, secrets };
    const isSaved = await this.#putLink(orgId, id, link, { ...tokens, instance: { id: instanceId, startedAt, facts } });
    invariant(isSaved, "a new callback token belongs to no other gateway");
    await this.refresh(orgId);
    return { gatewayId: id, ...(tokens === null ? {} : { tokens }), isNew: entry === undefined };
  }

  /** Whether another gateway has this token. A callback with it would not identify its gateway. */
  async isTokenTaken(orgId: string, gatewayId: string, callbackToken: string): Promise<boolean> {
    const link = await this.#options.store.findGatewayLink(hashToken(callbackToken));
    return link !== undefined && (link.orgId !== orgId || link.gatewayId !== gatewayId);
  }

  /** Saves tokens and address set by an operator. False, with nothing saved, when another gateway has this callback token. */
  async put(
    orgId: string,
    gatewayId: string,
    spec: GatewayBody,
    tokens: { readonly dispatchToken?: string; readonly callbackToken?: string },
  ): Promise<boolean> {
    const { store, clock } = this.#options;
    await this.ensure([orgId]);
    const isMoved = this.find(orgId, gatewayId)?.url !== spec.url;
    const link = (await store.listGatewayLinks(orgId)).find((one) => one.gatewayId === gatewayId);
    if (!(await this.#putLink(orgId, gatewayId, link, { ...tokens, isMoved }))) return false;
    await store.putEntry(orgId, "gateway", gatewayId, { ...spec }, clock.now());
    await this.refresh(orgId);
    return true;
  }

  /** Removes a gateway, or "unknown". `instanceId`: only takes it offline, and only if this instance still answers for it. */
  async remove(
    orgId: string,
    gatewayId: string,
    instanceId?: string,
  ): Promise<"removed" | "unknown" | "newer_instance"> {
    const { store, clock } = this.#options;
    const link = (await store.listGatewayLinks(orgId)).find((one) => one.gatewayId === gatewayId);
    if (instanceId !== undefined) {
      if (link === undefined) return "unknown";
      if (link.instanceId !== instanceId) return "newer_instance";
      // A Bridge that deregisters may come back: it is now offline, and its configuration stays.
      await store.putGatewayLink({ ...link, status: "offline", seenAt: clock.now() });
      await this.refresh(orgId);
      return "removed";
    }
    const isGone = await store.deleteEntry(orgId, "gateway", gatewayId);
    await store.deleteGatewayLink(orgId, gatewayId);
    await this.refresh(orgId);
    this.#tokens.clear();
    return isGone ? "removed" : "unknown";
  }

  /** Whether the Bridge has proved that it holds the current tokens, and our copy can still be decrypted. */
  #hasTokens(link: GatewayLink | undefined, { callbackTokenHash }: Registration): boolean {
    if (link === undefined || callbackTokenHash === undefined || link.callbackHash !== callbackTokenHash) return false;
    return this.#dispatchTokenIn(link) !== undefined;
  }

  #dispatchTokenIn(link: GatewayLink | undefined): string | undefined {
    if (link === undefined || link.dispatchToken === null) return undefined;
    return this.#options.box.open(link.dispatchToken, gatewayPlace(link.orgId, link.gatewayId));
  }

  #putLink(orgId: string, id: string, before: GatewayLink | undefined, change: LinkChange): Promise<boolean> {
    const { store, box, clock } = this.#options;
    return store.putGatewayLink(changedLink([orgId, id], before, change, box, clock.now()));
  }

  #gatewayOf(orgId: string, id: string, body: JsonObject, link: GatewayLink | undefined): GatewayView {
    const { local, clock, outbound = null } = this.#options;
    return gatewayOf({ orgId, id, body, link, local, outbound, now: clock.now(), graceMs: this.graceMs });
  }

  #bareLocal(orgId: string): readonly GatewayView[] {
    if (this.#options.local === null) return [];
    return [this.#gatewayOf(orgId, LOCAL_GATEWAY, { ...NEW_SPEC }, undefined)];
  }

  #notifyChanges(before: readonly GatewayView[], now: readonly GatewayView[]): void {
    for (const gateway of now) {
      const was = before.find(({ id }) => id === gateway.id);
      if (was === undefined || was.instanceId === gateway.instanceId) continue;
      for (const listener of this.#listeners) listener(gateway);
    }
  }
}
