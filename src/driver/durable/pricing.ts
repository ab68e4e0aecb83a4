import { type CallbackResult, findNode, type Report, type UnstampedInput } from "../../core/engine/index.ts";
import type { AboutRun, Judge } from "../../governance/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Returns a report with the cost that is booked. The judge computes it with the same prices as the reservation. */
export function pricedReport(
  input: UnstampedInput,
  { state }: DrivenRun,
  about: AboutRun,
  judge: Judge,
): UnstampedInput {
  const report = reportIn(input);
  if (report === null) return input;
  const { nodeId, attempt } = report.of;
  const route = findNode(state, nodeId)?.routes[attempt - 1];
  const booked = route === undefined ? null : (judge.price?.(about, nodeId, route, report.used) ?? null);
  if (booked === null) return input;
  const { costMicros, priceId, warning } = booked;
  const warnings = warning === undefined ? {} : { warnings: [...(report.used.warnings ?? []), warning] };
  const priced = { costMicros, ...(priceId === undefined ? {} : { priceId }), ...warnings };
  return report.of.type === "round"
    ? { ...report.of, ...priced }
    : { ...report.of, result: { ...report.used, ...priced } as CallbackResult };
}

/** Returns the usage in an input: the end of an attempt or a round of its turn. Null when it reports none. */
function reportIn(
  input: UnstampedInput,
): { readonly of: Extract<UnstampedInput, { type: "callback" | "round" }>; readonly used: Report } | null {
  if (input.type === "round") return { of: input, used: input };
  if (input.type !== "callback" || input.result.status === "deferred" || input.result.status === "suspended")
    return null;
  return { of: input, used: input.result };
}
