import { findNode, type UnstampedInput } from "../../core/engine/index.ts";
import type { AboutRun, Judge } from "../../governance/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** A report with the cost it is booked at, which the judge decides by the prices it reserves by. */
export function pricedReport(
  input: UnstampedInput,
  { state }: DrivenRun,
  about: AboutRun,
  judge: Judge,
): UnstampedInput {
  if (input.type !== "callback" || input.result.status === "deferred") return input;
  const { nodeId, attempt, result } = input;
  const route = findNode(state, nodeId)?.routes[attempt - 1];
  const booked = route === undefined ? null : (judge.price?.(about, nodeId, route, result) ?? null);
  if (booked === null) return input;
  const { costMicros, priceId, warning } = booked;
  const warnings = warning === undefined ? {} : { warnings: [...(result.warnings ?? []), warning] };
  return { ...input, result: { ...result, costMicros, ...(priceId === undefined ? {} : { priceId }), ...warnings } };
}
