/**
 * Limits how many runs with the same key are open: a run takes a place when it starts and releases it when it ends.
 * The driver records which runs have a place. The engine evaluates the key, waits, and begins when the run is admitted.
 */
import { digestJson, fail, type Failure, type JsonObject, type Outcome, succeed } from "../base/index.ts";
import type { EventPayload } from "../event/index.ts";
import { windDown } from "./ending.ts";
import type { RunLimit, StartInput } from "./input.ts";
import { nodeAt } from "./move.ts";
import { type Refusal, refuse } from "./refusal.ts";
import { withNames } from "./named-args.ts";
import type { RunState } from "./state.ts";
import { emit, isDecidable, setTimer, type Turn } from "./turn.ts";
import { evaluateValue, sceneOfRun } from "./value.ts";

/** Returns the limit of open runs per key, from the workflow, else from the trigger. Null when there is no limit. */
export function placeRule({ plan, place }: RunState, given?: RunLimit): Pick<RunLimit, "limit" | "whenFull"> | null {
  return plan.concurrency ?? place?.rule ?? given ?? null;
}

/** Returns the run's concurrency key, from its args or its trigger. Null when neither has a limit. */
export function concurrencyKey(
  state: RunState,
  args: JsonObject,
  startedAt: number,
  given?: RunLimit,
): Outcome<string, Failure> | null {
  const { concurrency } = state.plan;
  if (concurrency === null) {
    const key = state.place?.rule === undefined ? given?.key : state.place.key;
    return key === undefined ? null : succeed(key);
  }
  const scene = sceneOfRun(withNames({ ...state, args, startedAt }), concurrency.scope);
  const value = evaluateValue(scene, concurrency.key, "concurrency.key");
  if (scene.failure !== null) return fail(scene.failure);
  if (value === null) return fail({ code: "expression_error", message: "concurrency.key has no value" });
  return succeed(digestJson(value));
}

/** Returns the place and the held keys for the first event. */
export function placeOf(
  { plan }: RunState,
  { place, heldKeys = [], limit: given }: StartInput,
): Pick<EventPayload<"run.started">, "place" | "heldKeys"> {
  const keys = heldKeys.length === 0 ? {} : { heldKeys: [...heldKeys] };
  if (place === undefined || "failure" in place) return keys;
  const isGiven = plan.concurrency === null && given !== undefined;
  const rule = isGiven ? { rule: { limit: given.limit, whenFull: given.whenFull } } : {};
  return { ...keys, place: { key: place.key, standing: place.standing, ...rule } };
}

/** Reason for cancelling a run that finds no place. */
const CONCURRENCY_FULL = "concurrency_full";
/** A place may become free while the run begins to wait, so places are checked once more after this time. */
const PLACE_CHECK_MS = 2_000;

export function settlePlace(turn: Turn, { place }: StartInput): void {
  if (place === undefined) return;
  if ("failure" in place) {
    const { code: errorCode, message: reason } = place.failure;
    return windDown(turn, { as: "failed", reason, errorCode, failed: null, isFailFast: true });
  }
  if (place.standing === "full") windDown(turn, { as: "cancelled", reason: CONCURRENCY_FULL });
  if (place.standing === "waiting") setTimer(turn, { kind: "place" }, turn.at + PLACE_CHECK_MS);
}

/** The run has not been admitted. A run that cancels older ones keeps checking, because a cancel may have been lost. */
export function checkPlaceAgain(turn: Turn): void {
  const { state } = turn;
  if (state.place?.standing !== "waiting" || placeRule(state)?.whenFull !== "cancel_old") return;
  setTimer(turn, { kind: "place" }, turn.at + PLACE_CHECK_MS);
}

export function onAdmit(turn: Turn): Refusal | undefined {
  const { state } = turn;
  if (state.place?.standing !== "waiting" || state.ending !== null || state.status !== "queued")
    return refuse("not_waiting", "the run does not wait for a place");
  emit(turn, "run.status.changed", { from: state.status, to: "running", epoch: state.epoch });
  for (const { index } of state.plan.nodes) {
    const node = nodeAt(state, index);
    if (node.now.status === "awaiting_dependency" && isDecidable(state, node)) turn.toDecide.push(index);
  }
  return undefined;
}
