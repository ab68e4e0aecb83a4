import type { z } from "zod";
import type { runsQuery } from "../contract/index.ts";
import { parseDuration } from "../core/definition/index.ts";
import { searchWords } from "../core/search/index.ts";
import type { Facet, Range, RunFilter } from "../store/index.ts";
import { readMoment } from "./moment-query.ts";
import { invalidRequest } from "./shape.ts";

type RunsQuery = z.output<typeof runsQuery>;

const MICROS_PER_DOLLAR = 1_000_000;
/** Matches `trigger:orders`, `schedule:nightly`, `hook:triage`, which name a single trigger. */
const NAMED_TRIGGER = /^(?:trigger|schedule|hook):./u;

/** Converts the query of a request into a filter of runs. */
export function runFilterOf(query: RunsQuery, now: number): RunFilter {
  const { status, workflow, version, parent, waiting_for: waitingFor, trigger, error: errorCode, q } = query;
  const facets = facetsOf(query);
  const cost = rangeOf("cost", microsOf(query.min_cost), microsOf(query.max_cost));
  const duration = rangeOf("duration", durationOf(query, "min_duration"), durationOf(query, "max_duration"));
  const created = createdIn(query, now);
  return {
    ...(status === undefined ? {} : { status }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(version === undefined ? {} : { version }),
    ...(parent === undefined ? {} : { parentRunId: parent }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    ...(trigger === undefined ? {} : NAMED_TRIGGER.test(trigger) ? { startedBy: trigger } : { trigger }),
    ...(facets.length === 0 ? {} : { facets }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(cost === null ? {} : { cost }),
    ...(duration === null ? {} : { duration }),
    ...(created === null ? {} : { created }),
    ...(q === undefined ? {} : { words: wordsOf(q) }),
  };
}

/** True when the filter needs data that is read from runs only after their commits. */
export function needsReading({ facets = [], words }: RunFilter): boolean {
  return words !== undefined || facets.some((facet) => !facet.startsWith("label:"));
}

function facetsOf({ agent, model, label = [] }: RunsQuery): readonly Facet[] {
  return [
    ...label.map((text): Facet => `label:${text}`),
    ...(agent === undefined ? [] : [`agent:${agent}` as const]),
    ...(model === undefined ? [] : [`model:${model}` as const]),
  ];
}

function microsOf(dollars: number | undefined): number | undefined {
  return dollars === undefined ? undefined : Math.round(dollars * MICROS_PER_DOLLAR);
}

function durationOf(query: RunsQuery, name: "min_duration" | "max_duration"): number | undefined {
  const written = query[name]?.trim();
  if (written === undefined) return undefined;
  const seconds = Number(written);
  if (seconds === 0 && written !== "") return 0;
  const ms = parseDuration(Number.isFinite(seconds) ? seconds : written);
  if (ms !== undefined) return ms;
  const message = `"${name}" is no duration; write seconds, or a text such as 90s, 15m, 2h.`;
  throw invalidRequest([{ code: "bad_duration", message, path: name }]);
}

function rangeOf(what: "cost" | "duration", from: number | undefined, to: number | undefined): Range | null {
  if (from !== undefined && to !== undefined && from > to) {
    const message = `"min_${what}" is more than "max_${what}", so that there is nothing between them.`;
    throw invalidRequest([{ code: "bad_number", message, path: `min_${what}` }]);
  }
  if (from === undefined && to === undefined) return null;
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function createdIn(query: RunsQuery, now: number): Range | null {
  const from = readMoment("since", query.since, now);
  const to = readMoment("until", query.until, now);
  if (from !== null && to !== null && from > to) {
    const message = '"since" lies after "until", so that there is nothing between them.';
    throw invalidRequest([{ code: "bad_number", message, path: "since" }]);
  }
  if (from === null && to === null) return null;
  return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
}

function wordsOf(q: string): NonNullable<RunFilter["words"]> {
  const words = searchWords(q);
  if (words.length > 0) return words;
  const message = '"q" has no word to look for; write letters or digits.';
  throw invalidRequest([{ code: "wrong_type", message, path: "q" }]);
}
