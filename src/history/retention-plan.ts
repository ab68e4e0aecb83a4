import type { RetentionRule } from "../registry/index.ts";
import type { EndedSelection } from "../store/index.ts";

const DAY_MS = 86_400_000;

/** How long runs and their data are kept after their end, in milliseconds; null means for ever. */
export interface Periods {
  readonly runsMs: number | null;
  readonly verdictsMs: number | null;
  readonly transcriptsMs: number | null;
  /** Archive place where runs are written before deletion; null for none. */
  readonly archive: string | null;
}

export const DEFAULT_PERIODS: Periods = {
  runsMs: 90 * DAY_MS,
  verdictsMs: 30 * DAY_MS,
  transcriptsMs: 30 * DAY_MS,
  archive: null,
};

/** The periods for a group of runs: those of one workflow, or all runs without a part of their own. */
export interface RetentionPart extends Periods {
  readonly workflow: string | null;
  readonly except: readonly string[];
}

/**
 * Returns the periods per workflow. A period not set by the workflow's rule comes from the rule of the organisation,
 * else from the default. Among several rules for the same workflow, the first by name applies.
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

/** Returns the runs of a part that ended longer ago than a period; null when they are kept for ever. */
export function overdue(
  { workflow, except }: RetentionPart,
  periodMs: number | null,
  now: number,
): EndedSelection | null {
  return periodMs === null ? null : { before: now - periodMs, workflow, except };
}

const LOOKS_PER_PERIOD = 10;
const LOOK_MS_MAX = 3_600_000;

/** Returns the time between two checks of an organisation. Shorter periods are checked more often. */
export function lookEveryMs(plan: readonly RetentionPart[]): number {
  const periods = plan.flatMap(({ runsMs, verdictsMs, transcriptsMs }) => [runsMs, verdictsMs, transcriptsMs]);
  const shortest = Math.min(...periods.map((ms) => ms ?? Infinity));
  return Math.min(LOOK_MS_MAX, shortest / LOOKS_PER_PERIOD);
}
