import { z } from "zod";
import { getOwn, type JsonObject } from "../core/base/index.ts";
import type { Entry } from "../store/index.ts";
import { name, names, readBody, spec } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

const THRESHOLD_MAX = 1_000_000_000;

export const alertSpec = spec({
  on: z.enum(["budget", "failure_rate", "approval_age", "gateway_down"]).describe("Value that the alert watches"),
  threshold: z
    .number()
    .min(0)
    .max(THRESHOLD_MAX)
    .nullish()
    .describe("Value that raises the alert. budget, failure_rate: a share; approval_age, gateway_down: seconds"),
  to: z
    .union([name, names.min(1)], { error: "must be a name or a list of names" })
    .describe("Recipients: names of webhooks, or role:name, team:name, user:name"),
});

export function alertProblems(written: JsonObject): readonly SpecProblem[] {
  const [on, threshold] = [getOwn(written, "on"), getOwn(written, "threshold") ?? null];
  if (threshold === null && on !== "gateway_down") {
    const message = `An alert needs "threshold".`;
    return [specProblem("missing_field", ["threshold"], message, { hint: `Add "threshold".` })];
  }
  if (on === "failure_rate" && typeof threshold === "number" && threshold > 1) {
    const message = `"threshold" of failure_rate is a share, so that it is at most 1, but it is ${threshold}.`;
    return [specProblem("bad_number", ["threshold"], message, { hint: "Write 0.2 for one in five." })];
  }
  return [];
}

export interface Alert {
  readonly id: string;
  readonly on: "budget" | "failure_rate" | "approval_age" | "gateway_down";
  readonly threshold: number;
  /** `log`, names of webhooks, `role:name`, `team:name`, `user:name`. */
  readonly to: readonly string[];
}

/** Reads an alert. Without a threshold it fires at once. */
export function alertOf({ id, body }: Entry): Alert {
  const { on, threshold = 0, to } = readBody(alertSpec, body);
  return { id, on, threshold, to: typeof to === "string" ? [to] : to };
}

/** Returns the body to store: `to` is always a list. */
export function alertBodyOf(written: JsonObject): JsonObject {
  const { to = [] } = written;
  return { ...written, to: typeof to === "string" ? [to] : to };
}
