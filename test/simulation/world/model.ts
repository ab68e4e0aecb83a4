import type { CallbackResult } from "../../../src/core/engine/index.ts";
import type { AskedCall } from "../../../src/core/event/index.ts";
import type { Prng } from "../prng.ts";

/** What a model answers in one round. */
export interface Answer {
  readonly calls: readonly AskedCall[];
  readonly costMicros: number;
  readonly tokens: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly thinkingTokens: number;
    readonly cachedTokens: number;
  };
}

export const NOTHING_USED = {
  costMicros: 0,
  tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
};

const FAILURES = ["provider_error", "provider_rate_limit", "timeout", "provider_refused"] as const;

/** A call of the model that failed is no round. */
export function drawFailure(rng: Prng): CallbackResult {
  const errorCode = rng.pick(FAILURES);
  const status = errorCode === "timeout" ? "timed_out" : "failed";
  return { status, errorCode, error: `the model said ${errorCode}`, ...NOTHING_USED };
}

/** However much it likes tools, it comes to an end. */
const ROUNDS_WITH_CALLS = 7;

/** A model that is asked the same twice may answer otherwise. */
export function drawAnswer(rng: Prng, tools: readonly string[], round: number, isKeen: boolean): Answer {
  const wants = round < ROUNDS_WITH_CALLS && rng.chance(isKeen ? 1 : 0.6);
  const count = wants ? rng.pick([1, 1, 2, 3]) : 0;
  const calls = Array.from({ length: count }, () => ({ tool: rng.pick(tools), args: { n: rng.between(0, 3) } }));
  const tokens = { inputTokens: rng.below(80), outputTokens: rng.below(40), thinkingTokens: 0, cachedTokens: 0 };
  return { calls, tokens, costMicros: rng.chance(0.1) ? 0 : rng.between(1, 2_000) };
}
