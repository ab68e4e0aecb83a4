import type { RunStatus, WaitingFor } from "../core/event/index.ts";
import type { RunsFilter } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import { formatCost } from "./figures.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printList } from "./listing.ts";
import { durationText, labelsText, nameOf, readLabel, statusText } from "./run-text.ts";
import { oneLine } from "./terminal-text.ts";

export interface ListRunsOptions extends ListOptions {
  readonly status?: RunStatus;
  readonly workflow?: string;
  readonly workflowVersion?: number;
  readonly parent?: string;
  readonly waitingFor?: WaitingFor;
  readonly trigger?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly label?: readonly string[];
  readonly error?: string;
  readonly minCost?: number;
  readonly maxCost?: number;
  readonly minDuration?: string;
  readonly maxDuration?: string;
  readonly since?: string;
  readonly until?: string;
}

export async function listRuns(io: Io, api: Api, words: readonly string[], options: ListRunsOptions): Promise<number> {
  const now = io.clock.now();
  const filter = filterOf(words, options);
  const isFiltered = Object.keys(filter).length > 0;
  const page = await api.listRuns({ ...filter, ...pageOf(options) });
  const hasLabels = page.data.some((run) => labelsText(run) !== null);
  printList(io, page, options, {
    none: isFiltered ? "no run matches" : "there are no runs; start one with: sluice run NAME",
    head: ["RUN", "WORKFLOW", "STATUS", "CREATED", "DURATION", "COST", ...(hasLabels ? ["LABELS"] : [])],
    row: (run) => [
      run.id,
      nameOf(run),
      run.error === undefined || run.error.code === null
        ? statusText(run, run.paused)
        : `${run.status}: ${oneLine(run.error.code)}`,
      formatWhen(run.createdAt, now),
      durationText(run, now),
      run.costMicros > 0 ? formatCost(run.costMicros) : "–",
      ...(hasLabels ? [labelsText(run) ?? ""] : []),
    ],
  });
  return EXIT.fine;
}

function filterOf(words: readonly string[], options: ListRunsOptions): RunsFilter {
  const { workflowVersion, waitingFor, minCost, maxCost, minDuration, maxDuration, label = [] } = options;
  const { status, workflow, parent, trigger, agent, model, error, since, until } = options;
  const given = {
    status,
    workflow,
    version: workflowVersion,
    parent,
    waiting_for: waitingFor,
    trigger,
    agent,
    model,
    label: label.length === 0 ? undefined : label.map((text) => readLabel(text).join(":")),
    error,
    min_cost: minCost,
    max_cost: maxCost,
    min_duration: minDuration,
    max_duration: maxDuration,
    since,
    until,
    q: words.length === 0 ? undefined : words.join(" "),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
