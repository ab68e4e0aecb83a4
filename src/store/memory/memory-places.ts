import { compareCodeUnits } from "../../core/base/index.ts";
import { timerKey, type Timer } from "../../core/engine/index.ts";
import type { HeldPlace, PlaceStore } from "../place-store.ts";
import type { RunCommit } from "../store.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export type MemoryPlace = HeldPlace & { readonly orgId: string; readonly key: string };

export function memoryPlaces(world: MemoryWorld): PlaceStore {
  return {
    placesOf: async (orgId, key, limit) => {
      const all = inOrder(world, orgId, key);
      const listed = (isHeld: boolean) => all.filter(({ slot }) => (slot !== null) === isHeld).slice(0, limit);
      return [...listed(true), ...listed(false)].map(({ runId, slot, since }) => ({ runId, slot, since }));
    },
  };
}

function inOrder(world: MemoryWorld, orgId: string, key: string): readonly MemoryPlace[] {
  return [...world.places.values()]
    .filter((place) => place.orgId === orgId && place.key === key)
    .sort((left, right) => left.since - right.since || compareCodeUnits(left.runId, right.runId));
}

/** Whether two runs would hold the same slot. */
export function isSlotTaken(world: MemoryWorld, batch: readonly RunCommit[]): boolean {
  const taken = new Set<string>();
  for (const { orgId, key, slot } of world.places.values()) if (slot !== null) taken.add(keyOf(orgId, key, slot));
  return batch.some(({ orgId, runId, place }) => {
    if (place?.kind !== "hold" || world.places.get(runId)?.slot === place.slot) return false;
    const id = keyOf(orgId, place.key, place.slot);
    const isTaken = taken.has(id);
    taken.add(id);
    return isTaken;
  });
}

export function writePlace(world: MemoryWorld, { orgId, runId, place }: RunCommit): void {
  if (place === null) return;
  const before = world.places.get(runId);
  if (place.kind === "release") {
    world.places.delete(runId);
    if (before !== undefined) notifyNext(world, before);
    return;
  }
  const slot = place.kind === "hold" ? place.slot : null;
  const now = { orgId, runId, key: place.key, slot, since: before?.since ?? place.since };
  world.places.set(runId, now);
  if (slot !== null) notifyNext(world, now);
}

const LOOK: Timer = { kind: "place" };

function notifyNext(world: MemoryWorld, { orgId, key, runId }: MemoryPlace): void {
  const next = inOrder(world, orgId, key).find((place) => place.slot === null && place.runId !== runId);
  const timers = next === undefined ? undefined : world.runs.get(next.runId)?.timers;
  if (timers?.has(timerKey(LOOK)) === false) timers.set(timerKey(LOOK), { timer: LOOK, dueAt: world.now() });
}
