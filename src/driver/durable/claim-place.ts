/** Decides from stored data whether a run gets a place among the runs with its key. The commit enforces the decision. */
import {
  concurrencyKey,
  type FoundPlace,
  placeRule,
  type Refusal,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { HeldPlace, PlaceChange } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** The stored places of the key when the batch is decided. Absent when the run requests no place. */
export interface PlacesFound {
  readonly key: ReturnType<typeof concurrencyKey>;
  readonly places: readonly HeldPlace[];
}

export interface Claim {
  readonly input: UnstampedInput;
  readonly change: PlaceChange | null;
  /** Runs that are cancelled to make room once the claim is committed. */
  readonly victims: readonly string[];
  readonly refusal?: Refusal;
}

export function claimPlace(live: DrivenRun, input: UnstampedInput, at: number, found: PlacesFound | undefined): Claim {
  const nothing: Claim = { input, change: null, victims: [] };
  if (found === undefined) return nothing;
  switch (input.type) {
    case "start":
      return claimAtStart(live, input, at, found);
    case "timer":
      return input.timer.kind === "place" ? claimInTurn(live, input, found) : nothing;
    case "rewind":
    case "recover":
      return claimAgain(live, input, at, found);
    default:
      return nothing;
  }
}

type Start = Extract<UnstampedInput, { readonly type: "start" }>;

function claimAtStart({ state }: DrivenRun, input: Start, at: number, { key, places }: PlacesFound): Claim {
  const rule = placeRule(state, input.limit);
  const claim = (place: FoundPlace, change: PlaceChange | null = null, victims: readonly string[] = []): Claim => ({
    input: { ...input, place },
    change,
    victims,
  });
  if (key === null || rule === null || state.startedAt !== null) return { input, change: null, victims: [] };
  if (!key.ok) return claim({ failure: key.failure });
  const { limit, whenFull } = rule;
  if (input.heldKeys?.includes(key.value) === true) return claim({ key: key.value, standing: "inherited" });
  const slot = places.every((place) => place.slot !== null) ? freeSlot(places, limit) : null;
  if (slot !== null) {
    return claim({ key: key.value, standing: "held" }, { kind: "hold", key: key.value, slot, since: at });
  }
  if (whenFull === "cancel_new") return claim({ key: key.value, standing: "full" });
  const victims = whenFull === "cancel_old" ? inTheWay(places, limit) : [];
  return claim({ key: key.value, standing: "waiting" }, { kind: "wait", key: key.value, since: at }, victims);
}

/** A waiting run may begin when a place is free and no other run has waited longer. */
function claimInTurn({ state }: DrivenRun, input: UnstampedInput, { key, places }: PlacesFound): Claim {
  const rule = placeRule(state);
  const nothing: Claim = { input, change: null, victims: [] };
  if (key === null || !key.ok || rule === null || state.place?.standing !== "waiting") return nothing;
  const own = places.findIndex(({ runId, slot }) => runId === state.runId && slot === null);
  // Another replica has ended or admitted the run. This state is outdated, which the commit would detect.
  if (own === -1) return nothing;
  const ahead = places.slice(0, own);
  const slot = ahead.every((place) => place.slot !== null) ? freeSlot(ahead, rule.limit) : null;
  const since = places[own]?.since ?? 0;
  if (slot !== null) {
    return { input: { type: "admit" }, change: { kind: "hold", key: key.value, slot, since }, victims: [] };
  }
  return {
    ...nothing,
    victims: rule.whenFull === "cancel_old" ? inTheWay(ahead, rule.limit, since) : [],
  };
}

/** A run releases its place when it ends, so it needs a new one to be reopened. */
function claimAgain({ state }: DrivenRun, input: UnstampedInput, at: number, { key, places }: PlacesFound): Claim {
  const rule = placeRule(state);
  const nothing: Claim = { input, change: null, victims: [] };
  if (key === null || !key.ok || rule === null || !isTerminal(state.status)) return nothing;
  if (state.place === null || state.place.standing === "inherited") return nothing;
  const slot = places.every((place) => place.slot !== null) ? freeSlot(places, rule.limit) : null;
  if (slot !== null) return { ...nothing, change: { kind: "hold", key: key.value, slot, since: at } };
  const message = `other runs have all ${rule.limit} places of its key; try again when one of them has ended`;
  return { ...nothing, refusal: { code: "concurrency_full", message } };
}

/** Returns the lowest free slot. Null when the limit is reached. */
function freeSlot(places: readonly HeldPlace[], limit: number): number | null {
  const held = new Set(places.map(({ slot }) => slot));
  if (held.size >= limit) return null;
  for (let slot = 0; slot < limit; slot += 1) if (!held.has(slot)) return slot;
  return null;
}

/** Returns the oldest runs, as many as must make room. Runs that came after `before` are never returned. */
function inTheWay(ahead: readonly HeldPlace[], limit: number, before = Infinity): readonly string[] {
  const oldest = ahead.filter(({ since }) => since <= before).toSorted((left, right) => left.since - right.since);
  return oldest.slice(0, Math.max(0, ahead.length + 1 - limit)).map(({ runId }) => runId);
}
