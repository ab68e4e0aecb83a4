import type { RetentionRule } from "../registry/index.ts";
import type { EndedSelection } from "../store/index.ts";

const DAY_MS = 86_400_000;

/** How long what is kept of runs is kept after their end, in milliseconds; null: for ever. */
export interface Periods {
  readonly runsMs: number | null;
  readonly verdictsMs: number | null;
  readonly transcriptsMs: number | null;
  /** Where runs are written before they are deleted; null: nowhere. */
  readonly archive: string | null;
}

export const DEFAULT_PERIODS: Periods = {
  runsMs: 90 * DAY_MS,
  verdictsMs: 30 * DAY_MS,
  transcriptsMs: 30 * DAY_MS,
  archive: null,
};

/** The periods of some runs: those of one workflow, or all that no other part is about. */
export interface RetentionPart extends Periods {
  readonly workflow: string | null;
  readonly except: readonly string[];
}

/**
 * What holds for which workflow: what its own rule does not set, the rule of the organisation does, and then the default.
 * Of several rules about the same, the first by name holds.
 */
export function retentionPlan(rules: readonly RetentionRule[]): readonly RetentionPart[] {
  const byWorkflow = new Map<string | null, RetentionRule>();
  for (const rule of rules.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    if (!byWorkflow.has(rule.workflow)) byWorkflow.set(rule.workflow, rule);
  }
  const wide = over(DEFAULT_PERIODS, byWorkflow.get(null));
  const workflows = [...byWorkflow.keys()].filter((workflow) => workflow !== null);
  return [
    ...workflows.map((workflow) => ({ ...over(wide, byWorkflow.get(workflow)), workflow, except: [] })),
    { ...wide, workflow: null, except: workflows },
  ];
}

function over(wide: Periods, rule: RetentionRule | undefined): Periods {
  const { runsMs = wide.runsMs, verdictsMs = wide.verdictsMs, transcriptsMs = wide.transcriptsMs } = rule ?? {};
  return { runsMs, verdictsMs, transcriptsMs, archive: rule?.archive ?? wide.archive };
}

/** The runs of a part that ended longer ago than a period; null: they are kept for ever. */
export function overdue(
  { workflow, except }: RetentionPart,
  periodMs: number | null,
  now: number,
): EndedSelection | null {
  return periodMs === null ? null : { before: now - periodMs, workflow, except };
}

const LOOKS_PER_PERIOD = 10;
const LOOK_MS_MAX = 3_600_000;

/** How long after one look at an organisation the next one is due: short periods are looked at more often. */
export function lookEveryMs(plan: readonly RetentionPart[]): number {
  const periods = plan.flatMap(({ runsMs, verdictsMs, transcriptsMs }) => [runsMs, verdictsMs, transcriptsMs]);
  const shortest = Math.min(...periods.map((ms) => ms ?? Infinity));
  return Math.min(LOOK_MS_MAX, shortest / LOOKS_PER_PERIOD);
}
