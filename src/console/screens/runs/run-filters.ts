import { RUN_STATUSES, WAITING_FOR } from "../../../core/event/index.ts";
import type { RunsFilter } from "../../../client/index.ts";
import type { RunFilter } from "../../live/run-list.ts";
import { waitingLabel } from "../../parts/run-badge.tsx";
import { lookOf } from "../../parts/status.tsx";

/** Name of a filter in the address. It is the same as in the API. */
export type FilterName = Exclude<keyof RunsFilter, "q">;

export interface FilterField {
  readonly name: FilterName;
  readonly label: string;
  /** Hint about the accepted values. Absent with `options`. */
  readonly hint?: string;
  readonly options?: readonly (readonly [value: string, text: string])[];
}

const SPANS = [
  ["1h", "Last hour"],
  ["1d", "Last day"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
] as const;

/** The filters for runs, besides text search, in the order in which they are offered. */
export const FILTER_FIELDS: readonly FilterField[] = [
  { name: "status", label: "Status", options: RUN_STATUSES.map((each) => [each, lookOf(each).label]) },
  { name: "waiting_for", label: "Waiting for", options: WAITING_FOR.map((each) => [each, waitingLabel(each)]) },
  { name: "workflow", label: "Workflow", hint: "Its name" },
  { name: "since", label: "Created since", options: SPANS },
  { name: "until", label: "Created before", hint: "A day or a moment: 2026-11-17, 2026-11-17T08:00:00Z" },
  { name: "error", label: "Error", hint: "The code a run ended with: provider_error" },
  { name: "label", label: "Label", hint: "Name and text: customer:4711" },
  { name: "version", label: "Version", hint: "Its number: 3" },
  { name: "trigger", label: "Started by", hint: "api, schedule, hook, parent, …; or which: schedule:nightly" },
  { name: "agent", label: "Agent", hint: "One that worked on a node" },
  { name: "model", label: "Model", hint: "One that was asked for a node" },
  { name: "min_cost", label: "Cost at least", hint: "US dollars: 0.5" },
  { name: "max_cost", label: "Cost at most", hint: "US dollars: 2" },
  { name: "min_duration", label: "Duration at least", hint: "Seconds, or 90s, 5m, 2h" },
  { name: "max_duration", label: "Duration at most", hint: "Seconds, or 90s, 5m, 2h" },
  { name: "parent", label: "Child of", hint: "The id of a run" },
];

/** The names of all filter parameters in the address. */
export const FILTER_NAMES: readonly string[] = ["q", ...FILTER_FIELDS.map(({ name }) => name)];

/** A filter that is set, as it is shown in a chip. */
export interface Chip {
  readonly name: FilterName;
  readonly label: string;
  readonly text: string;
}

export function chipsOf(get: (name: string) => string | null): readonly Chip[] {
  return FILTER_FIELDS.flatMap(({ name, label, options }) => {
    const value = get(name);
    if (value === null) return [];
    return [{ name, label, text: options?.find(([id]) => id === value)?.[1] ?? value }];
  });
}

/** Reads the filter from the address. Most values are not checked here, so that the server's error message is shown. */
export function filterOf(get: (name: string) => string | null): RunFilter {
  const status = RUN_STATUSES.find((each) => each === get("status"));
  const waitingFor = WAITING_FOR.find((each) => each === get("waiting_for"));
  const [workflow, parent] = [get("workflow"), get("parent")];
  const more: Record<string, string | number | readonly string[]> = {};
  for (const name of ["q", "since", "until", "error", "trigger", "agent", "model", "min_duration", "max_duration"]) {
    const value = get(name);
    if (value !== null) more[name] = value;
  }
  for (const name of ["version", "min_cost", "max_cost"]) {
    const value = get(name);
    if (value !== null) more[name] = Number.isFinite(Number(value)) ? Number(value) : value;
  }
  const label = get("label");
  if (label !== null) more["label"] = label.split(",").map((each) => each.trim());
  return {
    ...(status === undefined ? {} : { status }),
    ...(waitingFor === undefined ? {} : { waiting_for: waitingFor }),
    ...(workflow === null ? {} : { workflow }),
    ...(parent === null ? {} : { parent }),
    // The server checks these values, because an address may contain anything.
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}
