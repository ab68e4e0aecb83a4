import { findNode } from "../../core/engine/index.ts";
import type { EventOf, RunEvent } from "../../core/event/index.ts";
import { repairText } from "../../core/text/index.ts";
import type { AboutRun, Admission, Changes, Judge } from "../../governance/index.ts";
import type { AttemptKey, LedgerChange, RunCommit, SlotChange, UsageRecord } from "../../store/index.ts";
import type { LiveRun } from "./live-run.ts";

/** What a run's share of a commit takes, gives back and spends. */
export interface Booking {
  readonly live: LiveRun;
  readonly about: AboutRun;
  readonly events: readonly RunEvent[];
  /** What was taken for attempts opened in it. */
  readonly admissions: ReadonlyMap<string, Admission>;
  /** Attempts that ended in it, those it opened included. */
  readonly ended: readonly AttemptKey[];
  readonly judge: Judge;
}

/** Slots, money and usage of one run in one commit; all of it follows from its events and its admissions. */
export function bookOf(booking: Booking): Changes & Pick<RunCommit, "usage"> {
  const { events } = booking;
  const costs = events.filter((event) => event.type === "cost.recorded");
  return {
    runId: booking.about.runId,
    ended: booking.ended.map(({ nodeId }) => nodeId),
    taken: [...booking.admissions.values()],
    slots: slotsOf(booking),
    ledger: ledgerOf(booking, costs),
    usage: costs.flatMap((event) => usageOf(booking, event)),
  };
}

function slotsOf({ live, admissions, ended }: Booking): readonly SlotChange[] {
  const slots = new Map<string, SlotChange>();
  const change = (agentId: string, delta: number, admission: Admission | null): void => {
    const before = slots.get(agentId);
    slots.set(agentId, {
      agentId,
      delta: (before?.delta ?? 0) + delta,
      maxOpen: admission?.maxOpen ?? before?.maxOpen ?? null,
      hits: admission === null ? (before?.hits ?? []) : [...(before?.hits ?? []), admission.at],
      rate: admission?.rate ?? before?.rate ?? null,
    });
  };
  for (const admission of admissions.values()) change(admission.agentId, 1, admission);
  for (const key of ended) {
    const agentId = admissions.get(keyOf(key))?.agentId ?? heldBy(live, key)?.agentId ?? null;
    if (agentId !== null) change(agentId, -1, null);
  }
  return [...slots.values()];
}

function ledgerOf(booking: Booking, costs: readonly EventOf<"cost.recorded">[]): readonly LedgerChange[] {
  const { live, admissions, ended } = booking;
  const ledger = new Map<string, LedgerChange>();
  const change = (part: LedgerChange): void => {
    const key = `${part.envelopeId} ${part.periodStart}`;
    const before = ledger.get(key);
    ledger.set(key, {
      ...part,
      reserved: (before?.reserved ?? 0) + part.reserved,
      spent: (before?.spent ?? 0) + part.spent,
      ceiling: part.ceiling ?? before?.ceiling ?? null,
    });
  };
  for (const { reserved } of admissions.values()) {
    for (const { envelopeId, periodStart, micros, ceiling } of reserved) {
      change({ envelopeId, periodStart, reserved: micros, spent: 0, ceiling });
    }
  }
  for (const key of ended) {
    const held = admissions.get(keyOf(key))?.reserved ?? heldBy(live, key)?.reserved ?? [];
    for (const { envelopeId, periodStart, micros } of held) {
      change({ envelopeId, periodStart, reserved: -micros, spent: 0, ceiling: null });
    }
  }
  for (const event of costs) for (const spent of spentBy(booking, event)) change(spent);
  return [...ledger.values()];
}

/** A child's cost was booked where it was spent. */
function spentBy({ live, about, judge }: Booking, { payload, at }: EventOf<"cost.recorded">): readonly LedgerChange[] {
  const { nodeId, attempt = 0, costMicros, childRunId } = payload;
  if (costMicros === 0 || childRunId !== undefined || judge.settle === undefined) return [];
  const begun = findNode(live.state, nodeId)?.routes[attempt - 1];
  const { agentId = null, gatewayId = null, startedAt = at } = begun ?? {};
  return judge.settle(about, { agentId, gatewayId, startedAt }, costMicros);
}

function usageOf({ live }: Booking, { payload, at }: EventOf<"cost.recorded">): readonly UsageRecord[] {
  const { nodeId, attempt = 0, costMicros, tokens, childRunId, model } = payload;
  const sum = tokens.inputTokens + tokens.outputTokens + tokens.thinkingTokens + tokens.cachedTokens + costMicros;
  if (sum === 0 || childRunId !== undefined) return [];
  const begun = findNode(live.state, nodeId)?.routes[attempt - 1];
  return [
    {
      nodeId,
      attempt,
      agentId: begun?.agentId ?? null,
      model: storable(model ?? begun?.model ?? null),
      gatewayId: begun?.gatewayId ?? null,
      ...tokens,
      costMicros,
      priceId: null,
      at,
    },
  ];
}

/** The model is named by whoever reports it; a column takes less than JSON does. */
function storable(text: string | null): string | null {
  return text === null ? null : (repairText(text).value as string);
}

function heldBy(live: LiveRun, { nodeId, attempt }: AttemptKey) {
  const open = live.openAttempts.get(nodeId);
  return open?.attempt === attempt ? open : undefined;
}

export function keyOf({ nodeId, attempt }: AttemptKey): string {
  return `${nodeId}/${attempt}`;
}
