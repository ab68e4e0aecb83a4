import { z } from "zod";
import { AUDIT_TYPES } from "../core/audit/index.ts";
import { getOwn, isJsonArray, type JsonObject } from "../core/base/index.ts";
import { didYouMean, EVENT_TYPE } from "../core/definition/index.ts";
import { EVENT_TYPES } from "../core/event/index.ts";
import type { Entry } from "../store/index.ts";
import { name, readBody, secret, spec, webUrl } from "./field.ts";
import { nameOf, shown, specProblem, type SpecProblem } from "./spec-problem.ts";

const EVENTS_MAX = 100;

/** Types that can be sent outside: all event types and all audit types. */
const KNOWN: ReadonlySet<string> = new Set([...EVENT_TYPES, ...AUDIT_TYPES]);
const FAMILIES: ReadonlySet<string> = new Set(["*", ...[...KNOWN].map((type) => `${type.split(".")[0] ?? ""}.*`)]);

export const webhookSpec = spec({
  url: webUrl.describe("Address to which events are sent"),
  events: z
    .array(name)
    .min(1)
    .max(EVENTS_MAX)
    .describe(
      "Types of events: run.completed, run.* for all events of runs, one that steps emit, such as order.paid, or * for all",
    ),
  secret: secret.nullish().describe("Write-only: secret for the signatures of messages"),
  enabled: z.boolean().default(true).describe("Whether events are sent"),
});

/** A registered receiver outside. Its secret is stored separately. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isEnabled: boolean;
}

export function webhookOf({ id, body }: Entry): Webhook {
  const { url, events, enabled } = readBody(webhookSpec, body);
  return { id, url, events, isEnabled: enabled };
}

/** Checks whether a type can be one that steps emit. A type in a family of the product would be a typing error. */
function isOfSteps(type: string): boolean {
  return EVENT_TYPE.test(type) && !FAMILIES.has(`${type.split(".")[0] ?? ""}.*`);
}

export function webhookProblems(written: JsonObject): readonly SpecProblem[] {
  const events = getOwn(written, "events");
  if (!isJsonArray(events)) return [];
  return events.flatMap((event, index) => {
    if (typeof event !== "string" || KNOWN.has(event) || FAMILIES.has(event) || isOfSteps(event)) return [];
    const at = ["events", index];
    const hint = didYouMean(event, [...KNOWN, ...FAMILIES]) ?? "Write a type such as run.completed, run.* or *.";
    return [specProblem("bad_enum", at, `${nameOf(at)} must be a type of event, but it is ${shown(event)}.`, { hint })];
  });
}
