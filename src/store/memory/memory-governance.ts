import type { Json, JsonObject } from "../../core/base/index.ts";
import { addHits, countSince, expandRecord, type Hits } from "../../core/governance/index.ts";
import {
  type AgentCounter,
  type Counters,
  type GovernanceStore,
  RUN_COUNTER,
  type SlotChange,
  type UsageRow,
  type UsageSelection,
  type WindowPlace,
} from "../governance-store.ts";
import type { RunCommit } from "../store.ts";
import { bucketStart } from "../usage-bucket.ts";
import { recountAgents, recountEnvelopes, unexplainedSpending } from "./memory-recount.ts";
import { listVerdicts } from "./memory-verdicts.ts";
import { copy, keep, keyOf, type MemoryWorld } from "./memory-world.ts";

/** Whether any counter would exceed its limit if the whole batch were written. Checked before the first change. */
export function isOverLimit(world: MemoryWorld, batch: readonly RunCommit[]): boolean {
  const trial: MemoryWorld = {
    ...world,
    agentCounters: new Map(world.agentCounters),
    envelopeCounters: new Map(world.envelopeCounters),
  };
  for (const commit of batch) writeCounters(trial, commit);
  const slots = batch.flatMap(({ orgId, slots }) => slots.map((slot) => ({ orgId, ...slot })));
  const hits = hitsByAgent(world, slots);
  const ledger = batch.flatMap(({ orgId, ledger }) => ledger.map((change) => ({ orgId, ...change })));
  return (
    slots.some(({ orgId, agentId, maxOpen }) => {
      const counter = trial.agentCounters.get(keyOf(orgId, agentId));
      return maxOpen !== null && (counter?.open ?? 0) > maxOpen;
    }) ||
    slots.some((slot) => isOverWindow(hits.get(keyOf(slot.orgId, slot.agentId)) ?? [], slot)) ||
    ledger.some(({ orgId, envelopeId, periodStart, ceiling }) => {
      const counter = trial.envelopeCounters.get(keyOf(orgId, envelopeId, periodStart));
      return ceiling !== null && (counter?.spent ?? 0) + (counter?.reserved ?? 0) > ceiling;
    })
  );
}

export function writeGovernance(world: MemoryWorld, commit: RunCommit): void {
  const { orgId, runId, workflow } = commit;
  writeCounters(world, commit);
  for (const record of commit.usage) world.usage.push({ ...copy(record), orgId, runId, workflow });
  for (const { bodyText, shared, ...verdict } of commit.verdicts) {
    const look = (name: string): Json | undefined => {
      const part = shared?.find((one) => one.name === name);
      return part === undefined ? undefined : (JSON.parse(part.text) as Json);
    };
    const body = expandRecord(JSON.parse(bodyText) as JsonObject, look);
    world.verdicts.push({ ...copy(verdict), body, orgId, runId });
  }
}

function writeCounters(
  world: MemoryWorld,
  { orgId, slots, ledger }: Pick<RunCommit, "orgId" | "slots" | "ledger">,
): void {
  for (const slot of slots) {
    const key = keyOf(orgId, slot.agentId);
    const before = world.agentCounters.get(key);
    const hits = hitsAfter(before?.hits ?? [], slot);
    const { agentId, delta } = slot;
    const open = (before?.open ?? 0) + delta;
    const maxOpen = agentId.startsWith(RUN_COUNTER) ? (slot.maxOpen ?? before?.maxOpen) : undefined;
    world.agentCounters.set(key, { orgId, agentId, open, hits, ...(maxOpen === undefined ? {} : { maxOpen }) });
  }
  for (const { envelopeId, periodStart, spent, reserved } of ledger) {
    const key = keyOf(orgId, envelopeId, periodStart);
    const before = world.envelopeCounters.get(key);
    world.envelopeCounters.set(key, {
      orgId,
      envelopeId,
      periodStart,
      spent: (before?.spent ?? 0) + spent,
      reserved: (before?.reserved ?? 0) + reserved,
    });
  }
}

type OrgSlot = SlotChange & { readonly orgId: string };

/** Returns the kept and the added dispatches of every agent with new ones, in order. */
function hitsByAgent(world: MemoryWorld, slots: readonly OrgSlot[]): ReadonlyMap<string, readonly Hits[]> {
  const found = new Map<string, Hits[]>();
  for (const { orgId, agentId, rate, hits } of slots) {
    if (rate === null || hits.length === 0) continue;
    const key = keyOf(orgId, agentId);
    const all = found.get(key) ?? [...(world.agentCounters.get(key)?.hits ?? [])];
    for (const one of hits) all.push(one);
    found.set(key, all);
  }
  for (const all of found.values()) all.sort((left, right) => left.at - right.at);
  return found;
}

/** A late dispatch is counted with those before it. One so late that those may have been deleted already counts as over the limit. */
function isOverWindow(all: readonly Hits[], { hits, rate }: SlotChange): boolean {
  const newest = all.at(-1);
  if (rate === null || hits.length === 0 || newest === undefined) return false;
  const since = hits.reduce((oldest, { at }) => Math.min(oldest, at), Infinity) - rate.windowMs;
  return countSince(all, since) > rate.count || since <= newest.at - 2 * rate.windowMs;
}

function hitsAfter(before: AgentCounter["hits"], { hits, rate }: SlotChange): AgentCounter["hits"] {
  return rate === null || hits.length === 0 ? before : addHits(before, hits, rate, 2 * rate.windowMs);
}

function countersOf(world: MemoryWorld, orgId: string, since: number): Counters {
  return {
    agents: [...world.agentCounters.values()]
      .filter(({ orgId: of, agentId, open }) => of === orgId && (open !== 0 || !agentId.startsWith(RUN_COUNTER)))
      .map(({ orgId: _org, ...counter }) => ({ ...counter, hits: [...counter.hits] })),
    envelopes: [...world.envelopeCounters.values()]
      .filter((counter) => counter.orgId === orgId && counter.periodStart >= since)
      .map(({ orgId: _org, ...counter }) => ({ ...counter })),
  };
}

function takePlaces(world: MemoryWorld, orgId: string, places: readonly WindowPlace[]): boolean {
  const slots = places.map(({ counter, rate, at }): OrgSlot => ({
    orgId,
    agentId: counter,
    delta: 0,
    maxOpen: null,
    hits: [{ at, count: 1 }],
    rate,
  }));
  const hits = hitsByAgent(world, slots);
  if (slots.some((slot) => isOverWindow(hits.get(keyOf(orgId, slot.agentId)) ?? [], slot))) return false;
  writeCounters(world, { orgId, slots, ledger: [] });
  return true;
}

export function memoryGovernance(world: MemoryWorld): GovernanceStore {
  return {
    takePlaces: async (orgId, places) => takePlaces(world, orgId, places),
    readCounters: async (orgId, since) => countersOf(world, orgId, since),
    readCountersOf: async (orgIds, since) => new Map(orgIds.map((orgId) => [orgId, countersOf(world, orgId, since)])),
    verdictsOf: async (orgId, runId) =>
      world.verdicts
        .filter((verdict) => verdict.orgId === orgId && verdict.runId === runId)
        .map(({ orgId: _org, runId: _run, ...verdict }) => copy(verdict)),
    listVerdicts: async (orgId, since, page) => listVerdicts(world, orgId, since, page),
    usage: async (orgId, query) => usageOf(world, orgId, query),
    markOnce: async (orgId, key, entry) => {
      const id = keyOf(orgId, key);
      if (world.marked.has(id)) return false;
      world.marked.add(id);
      world.audit.pending.set(`${orgId}/${key}`, { orgId, at: entry.at, body: JSON.stringify([entry]) });
      return true;
    },
    recount: async () => [...recountAgents(world), ...recountEnvelopes(world)],
    unexplainedSpending: async (since) => unexplainedSpending(world, since),
    pruneUsage: async (before, limit) => {
      const gone = new Set(world.usage.filter(({ at }) => at < before).slice(0, limit));
      keep(world.usage, (record) => !gone.has(record));
      return gone.size;
    },
  };
}

function usageOf(world: MemoryWorld, orgId: string, { bucket, by, since, until }: UsageSelection): readonly UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const record of world.usage) {
    if (record.orgId !== orgId || record.at < since || record.at >= until) continue;
    const groups = { agent: record.agentId, model: record.model, workflow: record.workflow, gateway: record.gatewayId };
    const group = by === null ? null : groups[by];
    const start = bucketStart(bucket, record.at);
    const before = rows.get(keyOf(start, group ?? "", group === null ? 0 : 1));
    rows.set(keyOf(start, group ?? "", group === null ? 0 : 1), {
      bucketStart: start,
      group,
      count: (before?.count ?? 0) + 1,
      inputTokens: (before?.inputTokens ?? 0) + record.inputTokens,
      outputTokens: (before?.outputTokens ?? 0) + record.outputTokens,
      thinkingTokens: (before?.thinkingTokens ?? 0) + record.thinkingTokens,
      cachedTokens: (before?.cachedTokens ?? 0) + record.cachedTokens,
      costMicros: (before?.costMicros ?? 0) + record.costMicros,
    });
  }
  return [...rows.values()].sort(
    (left, right) => left.bucketStart - right.bucketStart || ((left.group ?? "") < (right.group ?? "") ? -1 : 1),
  );
}
