import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { HookRecord, HookStore } from "../hook-store.ts";
import type { Feed, FeedStore, RunAhead, Subscription, WebhookStore } from "../webhook-store.ts";
import { addDeliveries, type MemoryDelivery, memoryDeliveries } from "./memory-deliveries.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

/** Data of a memory store for webhooks, hooks and deliveries. */
export interface MemoryWebhooks {
  /** Start of each subscription, by organisation, then by webhook. */
  readonly subscriptions: Map<string, Map<string, number>>;
  readonly cursors: Map<string, MemoryCursor>;
  /** Id of the last event passed to the webhooks, by run. */
  readonly feeds: Map<string, number>;
  /** Deliveries by id, in the order they were made. */
  readonly deliveries: Map<string, MemoryDelivery>;
  readonly hooks: Map<string, HookRecord>;
  readonly leases: Map<string, { readonly holder: string; readonly expiresAt: number }>;
  lastSeq: number;
}

interface MemoryCursor {
  readonly auditSeq: number;
  readonly sweptAt: number;
  readonly heldUntil: number;
}

export function createMemoryWebhooks(): MemoryWebhooks {
  return {
    subscriptions: new Map(),
    cursors: new Map(),
    feeds: new Map(),
    deliveries: new Map(),
    hooks: new Map(),
    leases: new Map(),
    lastSeq: 0,
  };
}

export function memoryWebhooks(world: MemoryWorld): WebhookStore {
  return { ...memoryFeeds(world), ...memoryDeliveries(world) };
}

function memoryFeeds(world: MemoryWorld): FeedStore {
  const { cursors, feeds } = world.webhooks;
  const isVersion = ({ orgId, version }: Pick<Feed, "orgId" | "version">): boolean =>
    world.config.get(orgId)?.version === version;
  return {
    listListeningOrganisations: async () => {
      const registered = [...world.entries.keys()].flatMap((key) => {
        const [orgId, kind] = JSON.parse(key) as readonly [string, string, string];
        return kind === "webhook" || kind === "channel" ? [orgId] : [];
      });
      return [...new Set([...registered, ...cursors.keys()])].sort(compareCodeUnits);
    },
    subscribe: async (orgId, version, wanted) =>
      isVersion({ orgId, version }) ? subscribe(world, orgId, wanted) : null,
    claimFeeds: async (sweepMs, leaseMs, limit) => {
      const now = world.now();
      const due = [...cursors].flatMap(([orgId, { auditSeq, sweptAt, heldUntil }]) => {
        const headSeq = world.audit.chains.get(orgId)?.head.seq ?? 0;
        const isSweepDue = sweptAt <= now - sweepMs;
        const claim = { orgId, auditSeq, headSeq, sweptAt, isSweepDue, now };
        return heldUntil <= now && (headSeq > auditSeq || isSweepDue) ? [{ claim, heldUntil }] : [];
      });
      const taken = due
        .sort(
          (left, right) => left.heldUntil - right.heldUntil || compareCodeUnits(left.claim.orgId, right.claim.orgId),
        )
        .slice(0, limit)
        .map(({ claim }) => claim);
      for (const { orgId, auditSeq, sweptAt } of taken) {
        cursors.set(orgId, { auditSeq, sweptAt, heldUntil: now + leaseMs });
      }
      return taken;
    },
    endFeed: async (orgId, sweptAt) => {
      const cursor = cursors.get(orgId);
      if (cursor !== undefined) {
        cursors.set(orgId, { ...cursor, heldUntil: world.now(), sweptAt: sweptAt ?? cursor.sweptAt });
      }
    },
    listRunsAhead: async (runIds) => runsAhead(world, new Set(runIds)),
    sweepRunsAhead: async (orgId, since, limit) => {
      const open = [...world.runs].filter(([, { head }]) => !isTerminal(head.status)).map(([runId]) => runId);
      const booked = world.usage.filter(({ at }) => at >= since).map(({ runId }) => runId);
      return runsAhead(world, new Set([...open, ...booked]))
        .filter((run) => run.orgId === orgId)
        .slice(0, limit);
    },
    feedRun: async (feed) => {
      if (!isVersion(feed) || (feeds.get(feed.runId) ?? feed.from) !== feed.from) return false;
      feeds.set(feed.runId, feed.to);
      addDeliveries(world, feed.deliveries);
      return true;
    },
    feedAudit: async (feed) => {
      const cursor = cursors.get(feed.orgId);
      if (!isVersion(feed) || cursor?.auditSeq !== feed.from) return false;
      cursors.set(feed.orgId, { ...cursor, auditSeq: feed.to });
      addDeliveries(world, feed.deliveries);
      return true;
    },
  };
}

function subscribe(world: MemoryWorld, orgId: string, wanted: readonly Subscription[]): readonly Subscription[] {
  const { subscriptions, cursors, deliveries } = world.webhooks;
  const before = subscriptions.get(orgId) ?? new Map<string, number>();
  const after = new Map(wanted.map(({ targetId, since }) => [targetId, before.get(targetId) ?? since]));
  for (const [id, delivery] of deliveries) {
    const isOrphan = delivery.orgId === orgId && before.has(delivery.targetId) && !after.has(delivery.targetId);
    if (!isOrphan || delivery.nextAt === null) continue;
    const lastError = "It was disabled or deleted.";
    deliveries.set(id, { ...delivery, state: "given_up", nextAt: null, settledAt: world.now(), lastError });
  }
  if (after.size === 0) {
    subscriptions.delete(orgId);
    cursors.delete(orgId);
    return [];
  }
  subscriptions.set(orgId, after);
  const since = Math.min(...after.values());
  if (!cursors.has(orgId)) {
    const records = [...(world.audit.chains.get(orgId)?.records.values() ?? [])];
    const earlier = records.filter(({ at }) => at < since - 60_000).map(({ seq }) => seq);
    cursors.set(orgId, { auditSeq: Math.max(0, ...earlier), sweptAt: since, heldUntil: 0 });
  }
  return [...after]
    .map(([targetId, from]) => ({ targetId, since: from }))
    .sort((left, right) => compareCodeUnits(left.targetId, right.targetId));
}

function runsAhead(world: MemoryWorld, runIds: ReadonlySet<string>): RunAhead[] {
  return [...runIds].sort(compareCodeUnits).flatMap((runId) => {
    const run = world.runs.get(runId);
    const fedEventId = world.webhooks.feeds.get(runId) ?? 0;
    if (run === undefined || run.head.lastEventId <= fedEventId || !world.webhooks.cursors.has(run.orgId)) return [];
    const { workflow, traceId, block } = run.pinned;
    return [{ orgId: run.orgId, runId, workflow, traceId, block, fedEventId, lastEventId: run.head.lastEventId }];
  });
}

export function memoryHooks({ webhooks: { hooks } }: MemoryWorld): HookStore {
  return {
    getHook: async (orgId, workflow) => {
      const hook = hooks.get(keyOf(orgId, workflow));
      return hook === undefined ? undefined : copy(hook);
    },
    findHooks: async (workflow, limit) =>
      [...hooks.values()]
        .filter((hook) => hook.workflow === workflow)
        .sort((left, right) => left.createdAt - right.createdAt || compareCodeUnits(left.orgId, right.orgId))
        .slice(0, limit)
        .map(copy),
    putHook: async (hook) => {
      const key = keyOf(hook.orgId, hook.workflow);
      hooks.set(key, { ...hook, createdAt: hooks.get(key)?.createdAt ?? hook.createdAt });
    },
    deleteHook: async (orgId, workflow) => hooks.delete(keyOf(orgId, workflow)),
  };
}
