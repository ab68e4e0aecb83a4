/** Values that every child run receives from its parent. */
import type { Tokens } from "../event/index.ts";
import type { Usage } from "./cost.ts";
import type { StartChild } from "./effect.ts";
import type { RunState } from "./state.ts";

/** Time a child may take to start before the driver checks on it. */
export const STARTED_WITHIN_MS = 10_000;

export function namedIn({ placement }: RunState): Pick<StartChild, "named"> {
  return placement === null ? {} : { named: placement.named ?? {} };
}

export function lineageOf(state: RunState): Pick<StartChild, "root" | "hops" | "heldKeys"> {
  const { root, hops, place, heldKeys } = state;
  const held = place?.standing === "held" ? [...heldKeys, place.key] : heldKeys;
  const keys = held.length === 0 ? {} : { heldKeys: held };
  return { ...(root === null ? {} : { root }), ...(hops === 0 ? {} : { hops }), ...keys };
}

/** Returns the usage since the last report. A report older than the last one adds nothing. */
export function usageSince(
  total: Pick<Usage, "costMicros" | "tokens">,
  known: Pick<Usage, "costMicros" | "tokens">,
): Usage {
  const more = (key: keyof Tokens): number => Math.max(0, total.tokens[key] - known.tokens[key]);
  return {
    costMicros: Math.max(0, total.costMicros - known.costMicros),
    tokens: {
      inputTokens: more("inputTokens"),
      outputTokens: more("outputTokens"),
      thinkingTokens: more("thinkingTokens"),
      cachedTokens: more("cachedTokens"),
    },
  };
}
