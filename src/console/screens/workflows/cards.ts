import type { Run, Workflow } from "../../../client/index.ts";
import { isTerminal } from "../../../core/event/index.ts";
import { best } from "../../parts/score.ts";

/** A workflow with its most recent runs. */
export interface WorkflowItem {
  readonly workflow: Workflow;
  /** The runs, oldest first. */
  readonly runs: readonly Run[];
  readonly failures: number;
  readonly costMicros: number;
  readonly lastRunAt: string | null;
}

export const ORDERS = ["name", "last run", "failures", "cost"] as const;
export type Order = (typeof ORDERS)[number];

const SHOWN_RUNS = 20;

export function cardsOf(workflows: readonly Workflow[], runs: readonly Run[]): readonly WorkflowItem[] {
  const byWorkflow = new Map<string, Run[]>();
  for (const run of runs) {
    const list = byWorkflow.get(run.workflow) ?? [];
    byWorkflow.set(run.workflow, list);
    if (list.length < SHOWN_RUNS) list.push(run);
  }
  return workflows.map((workflow) => {
    const newest = byWorkflow.get(workflow.name) ?? [];
    return {
      workflow,
      runs: newest.toReversed(),
      failures: newest.filter(({ status }) => status === "failed" || status === "timed_out").length,
      costMicros: newest.reduce((sum, run) => sum + run.costMicros, 0),
      lastRunAt: newest[0]?.createdAt ?? null,
    };
  });
}

const SORT_BY: Readonly<Record<Order, (card: WorkflowItem) => number | string>> = {
  name: ({ workflow }) => workflow.name,
  "last run": ({ lastRunAt }) => -Date.parse(lastRunAt ?? "1970-01-01"),
  failures: ({ failures }) => -failures,
  cost: ({ costMicros }) => -costMicros,
};

/** Returns the cards that match the typed text and the status, in the requested order. */
export function chooseCards(
  cards: readonly WorkflowItem[],
  typed: string,
  status: string | null,
  order: Order,
): readonly WorkflowItem[] {
  const sortBy = SORT_BY[order];
  const fitting = cards.filter(({ workflow }) => status === null || workflow.status === status);
  const sorted = fitting.toSorted((left, right) => {
    const [a, b] = [sortBy(left), sortBy(right)];
    return a < b ? -1 : a > b ? 1 : left.workflow.name < right.workflow.name ? -1 : 1;
  });
  return typed.trim() === "" ? sorted : best(sorted, typed, ({ workflow }) => workflow.name, sorted.length);
}

/** Returns the most recent runs as bars. The height is the duration. */
export function runBars(runs: readonly Run[]) {
  const lengths = runs.map(({ startedAt, completedAt, status }) =>
    startedAt === undefined || !isTerminal(status) ? 0 : Date.parse(completedAt ?? startedAt) - Date.parse(startedAt),
  );
  const longest = Math.max(...lengths, 1);
  return runs.map(({ id, status }, index) => ({ key: id, status, size: (lengths[index] ?? 0) / longest }));
}
