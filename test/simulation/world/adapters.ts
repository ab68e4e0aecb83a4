import type { Json, JsonObject } from "../../../src/core/base/index.ts";
import type { CallbackResult, Dispatch } from "../../../src/core/engine/index.ts";
import type { Profile } from "../profile.ts";
import { Prng } from "../prng.ts";

/** What an adapter will do with a request, drawn from the request's own place and never from the order of things. */
export interface Behaviour {
  readonly delayMs: number;
  /** Null: it never answers. */
  readonly final: CallbackResult | null;
  readonly isDeferred: boolean;
  readonly chunks: readonly string[];
  readonly copies: number;
}

const FAILURES = [
  "provider_error",
  "provider_error",
  "provider_rate_limit",
  "provider_bad_output",
  "provider_auth",
  "provider_refused",
  "adapter_bug",
  "timeout",
  "dispatch_failed",
] as const;

export function drawBehaviour(seed: Prng, profile: Profile, place: string, dispatch: Dispatch): Behaviour {
  const rng = seed.fork(`adapter ${place}`);
  const timeoutMs = dispatch.timeoutMs ?? 5_000;
  const isSlow = rng.chance(profile.slow);
  const delayMs = isSlow ? timeoutMs + rng.between(-50, 3_000) : rng.between(1, Math.min(800, timeoutMs - 100));
  const chunks = rng.chance(profile.stream) ? Array.from({ length: rng.between(1, 4) }, (_, at) => `part ${at} `) : [];
  return {
    delayMs,
    final: rng.chance(profile.hang) ? null : drawResult(rng, profile, dispatch),
    isDeferred: rng.chance(profile.deferred),
    chunks,
    copies: rng.chance(profile.duplicate) ? rng.between(2, 3) : 1,
  };
}

export function drawResult(rng: Prng, profile: Profile, dispatch: Dispatch): CallbackResult {
  const report = drawReport(rng);
  const roll = rng.float();
  if (roll < profile.fail) {
    const errorCode = rng.pick(FAILURES);
    const isTimeout = errorCode === "timeout";
    const retryAfter =
      errorCode === "provider_rate_limit" && rng.chance(0.4) ? { retryAfterMs: rng.between(1, 4_000) } : {};
    return {
      status: isTimeout ? "timed_out" : "failed",
      errorCode,
      error: `it said ${errorCode}`,
      ...retryAfter,
      ...report,
    };
  }
  const isBad = roll < profile.fail + profile.badOutput;
  const { outputFields } = dispatch.request;
  if (outputFields !== null) return { status: "completed", outputs: drawOutputs(rng, isBad), ...report };
  const stdout = rng.pick(["yes", "yes", "no", '{"v":1}']);
  const moderation = isBad && rng.chance(0.5) ? { moderation: { flagged: true } } : {};
  return { status: "completed", stdout, outputs: { n: rng.between(0, 9) }, ...moderation, ...report };
}

function drawOutputs(rng: Prng, isBad: boolean): JsonObject {
  const n: Json = isBad ? rng.pick(["many", null, {}]) : rng.between(0, 9);
  const list: Json = Array.from({ length: rng.between(0, 3) }, (_, index) => index);
  return { n, ok: rng.chance(0.7), list };
}

function drawReport(rng: Prng) {
  return {
    costMicros: rng.chance(0.1) ? 0 : rng.between(1, 4_000),
    tokens: { inputTokens: rng.below(50), outputTokens: rng.below(50), thinkingTokens: 0, cachedTokens: 0 },
    ...(rng.chance(0.05) ? { extraCalls: 1 } : {}),
  };
}

/** What an adapter reports after it was stopped. */
export function cancelledResult(rng: Prng): CallbackResult {
  return { status: "cancelled", errorCode: "cancelled", error: "stopped", ...drawReport(rng) };
}
