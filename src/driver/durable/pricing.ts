import { findNode } from "../../core/engine/index.ts";
import type { AboutRun, Judge } from "../../governance/index.ts";
import type { Told } from "../told.ts";
import type { LiveRun } from "./live-run.ts";

/** A report with the cost it is booked at, which the judge decides by the prices it reserves by. */
export function pricedReport(told: Told, { state }: LiveRun, about: AboutRun, judge: Judge): Told {
  if (told.type !== "callback" || told.result.status === "deferred") return told;
  const { nodeId, attempt, result } = told;
  const route = findNode(state, nodeId)?.routes[attempt - 1];
  const booked = route === undefined ? null : (judge.price?.(about, nodeId, route, result) ?? null);
  if (booked === null) return told;
  const { costMicros, priceId, warning } = booked;
  const warnings = warning === undefined ? {} : { warnings: [...(result.warnings ?? []), warning] };
  return { ...told, result: { ...result, costMicros, ...(priceId === undefined ? {} : { priceId }), ...warnings } };
}
