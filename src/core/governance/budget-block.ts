import { instantText } from "./calendar.ts";
import { isExhausted } from "./envelope.ts";
import type { EnvelopeFact } from "./facts.ts";
import type { GateBlock } from "./gate.ts";
import { usdText } from "./money.ts";

/** The owner of a ceiling, and the field that raises it. */
export interface CeilingName {
  readonly name: string;
  readonly target: string;
  readonly field: string;
}

/**
 * Returns the block for a ceiling that is used up, or that this call might exceed. The block is final, except for a node
 * at
 * a ceiling that pauses: it waits for the next period or a higher ceiling, without a time limit.
 */
export function budgetBlock(
  envelope: EnvelopeFact,
  estimateMicros: number | null,
  ceiling: CeilingName,
  asks: "node" | "launch" | "round",
): GateBlock {
  const { id, scope, scopeId, period, periodEnd, spentMicros, reservedMicros, ceilingMicros, onExhausted, boundBy } =
    envelope;
  const { name, target, field } = ceiling;
  const reset = instantText(periodEnd);
  const isSpent = isExhausted(envelope) || estimateMicros === null;
  const amounts = `$${usdText(spentMicros)} of $${usdText(ceilingMicros)} spent`;
  const others = isSpent
    ? ""
    : ` and $${usdText(reservedMicros)} reserved, and this may cost $${usdText(estimateMicros)}`;
  const isPause = asks === "node" && onExhausted === "pause";
  // An estimate above the ceiling of a whole period does not fit in the next period either.
  const helpsToWait = (estimateMicros ?? 0) <= ceilingMicros && ceilingMicros > 0;
  const wait = isPause ? `it waits for that or the reset at ${reset}` : `or wait for the reset at ${reset}`;
  return {
    kind: "block",
    code: "budget_exceeded",
    message: `${name} has ${amounts}${others}; raise ${field}, ${wait}`,
    ...(isPause ? { after: "queue", waitingReason: "queued", until: periodEnd, pausedBy: id } : { after: "final" }),
    facts: {
      envelope: id,
      scope,
      scopeId,
      period,
      periodEnd,
      onExhausted,
      ...(boundBy === undefined ? {} : { boundBy: `RoleBinding/${boundBy}` }),
      ...amountFacts({
        spent: spentMicros,
        reserved: reservedMicros,
        ceiling: ceilingMicros,
        estimate: estimateMicros,
      }),
    },
    unblock: [
      { action: "raise_budget", target, detail: raise(field, envelope, estimateMicros) },
      ...(helpsToWait ? [{ action: "wait", target, detail: `the period ends at ${reset}` }] : []),
    ],
  };
}

function raise(field: string, { spentMicros, reservedMicros }: EnvelopeFact, estimateMicros: number | null): string {
  const wantedMicros = spentMicros + reservedMicros + (estimateMicros ?? 0);
  if (wantedMicros > spentMicros) return `raise ${field} to ${usdText(wantedMicros)} or more`;
  return `raise ${field} above ${usdText(spentMicros)}`;
}

/** Returns every amount twice: as text for people, and in micro-dollars for programs. */
export function amountFacts(amounts: Readonly<Record<string, number | null>>): Record<string, string | number | null> {
  return Object.fromEntries(
    Object.entries(amounts).flatMap(([name, micros]) => [
      [`${name}Usd`, micros === null ? null : usdText(micros)],
      [`${name}Micros`, micros],
    ]),
  );
}
