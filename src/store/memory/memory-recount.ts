import { RUN_COUNTER, runCounter } from "../governance-store.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export function recountAgents(world: MemoryWorld): readonly string[] {
  const right = new Map<string, number>();
  const names = new Map<string, { readonly orgId: string; readonly agentId: string }>();
  for (const { orgId, openAttempts } of world.runs.values()) {
    for (const { agentId: agent, parallelOf } of openAttempts.values()) {
      for (const agentId of [agent, parallelOf === undefined ? null : runCounter(parallelOf)]) {
        if (agentId === null) continue;
        const key = keyOf(orgId, agentId);
        names.set(key, { orgId, agentId });
        right.set(key, (right.get(key) ?? 0) + 1);
      }
    }
  }
  for (const [key, { orgId, agentId }] of world.agentCounters) names.set(key, { orgId, agentId });
  const fixed = [...names].flatMap(([key, { orgId, agentId }]) => {
    const counter = world.agentCounters.get(key) ?? { orgId, agentId, open: 0, hits: [] };
    const open = right.get(key) ?? 0;
    if (counter.open === open) return [];
    world.agentCounters.set(key, { ...counter, open });
    return [`agent ${agentId} of ${orgId}: ${counter.open} open, counted again ${open}`];
  });
  for (const [key, { agentId, open }] of world.agentCounters) {
    if (open === 0 && agentId.startsWith(RUN_COUNTER)) world.agentCounters.delete(key);
  }
  return fixed;
}

export function recountEnvelopes(world: MemoryWorld): readonly string[] {
  const right = new Map<string, number>();
  const names = new Map<
    string,
    { readonly orgId: string; readonly envelopeId: string; readonly periodStart: number }
  >();
  for (const { orgId, openAttempts } of world.runs.values()) {
    for (const { reserved } of openAttempts.values()) {
      for (const { envelopeId, periodStart, micros } of reserved) {
        const key = keyOf(orgId, envelopeId, periodStart);
        names.set(key, { orgId, envelopeId, periodStart });
        right.set(key, (right.get(key) ?? 0) + micros);
      }
    }
  }
  for (const [key, { orgId, envelopeId, periodStart }] of world.envelopeCounters) {
    names.set(key, { orgId, envelopeId, periodStart });
  }
  return [...names].flatMap(([key, name]) => {
    const counter = world.envelopeCounters.get(key) ?? { ...name, spent: 0, reserved: 0 };
    const reserved = right.get(key) ?? 0;
    if (counter.reserved === reserved) return [];
    world.envelopeCounters.set(key, { ...counter, reserved });
    const { orgId, envelopeId } = name;
    return [
      `envelope ${envelopeId} of ${orgId}: ${counter.reserved} micro-dollars reserved, counted again ${reserved}`,
    ];
  });
}

export function unexplainedSpending(world: MemoryWorld, since: number): readonly string[] {
  return [...world.envelopeCounters.values()].flatMap(({ orgId, envelopeId, periodStart, spent }) => {
    if (periodStart < since) return [];
    const cost = world.usage
      .filter((record) => record.orgId === orgId && record.at >= periodStart)
      .reduce((sum, { costMicros }) => sum + costMicros, 0);
    if (spent <= cost) return [];
    return [`envelope ${envelopeId} of ${orgId}: ${spent} micro-dollars spent, usage explains ${cost}`];
  });
}
