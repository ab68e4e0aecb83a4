import { decodeCursor, listed, type Position } from "../cursor.ts";
import { CANDIDATES_MAX, type Range, type RunFilter } from "../run-filter.ts";
import type { Sql, SqlValue, Statement } from "../sql.ts";
import type { Listed, Page, RunRecord } from "../store.ts";
import { lookUpWithFreshPlan } from "./fresh-plan.ts";
import { RUN, RUN_COLUMNS } from "./run-columns.ts";
import { queryText } from "./word-rows.ts";
import { idsWaiting } from "./waiting-for.ts";

export async function listRuns(sql: Sql, orgId: string, filter: RunFilter, page: Page): Promise<Listed<RunRecord>> {
  const after = decodeCursor(page.cursor);
  const { statement, params } = listStatement(orgId, filter, after, page.limit + 1);
  const rows = await lookUpWithFreshPlan(sql, statement, params);
  return listed(RUN.all(rows), page.limit, ({ createdAt, runId }) => ({ at: createdAt, id: runId }));
}

/** The table whose index returns the runs in list order, and its column with the creation time. */
interface Driver {
  readonly table: string;
  readonly at: string;
}

const RUNS: Driver = { table: "r", at: "created_at" };
const HEADS: Driver = { table: "h", at: "listed_at" };
const FACETS: Driver = { table: "f0", at: "created_at" };
const WORDS: Driver = { table: "w", at: "created_at" };

/**
 * Builds one statement for each shape of a filter. It has no name, so it is planned for the actual values: which index
 * is best depends on how rare they are.
 */
export function listStatement(
  orgId: string,
  filter: RunFilter,
  after: Position | null,
  limit: number,
): { readonly statement: Statement; readonly params: readonly SqlValue[] } {
  const params: SqlValue[] = [orgId];
  const put = (value: SqlValue): string => `$${params.push(value)}`;
  const driver = driverOf(filter);
  const { table, at } = driver;
  const tables = ["runs r join run_heads h using (run_id)"];
  const conditions = [`${table}.org_id = $1`, ...plainConditions(filter, put)];
  // The condition is repeated for each table, so that the planner may read any of them first.
  for (const other of ["r", "h"]) if (other !== table) conditions.push(`${other}.org_id = $1`);
  (filter.facets ?? []).forEach((facet, index) => {
    tables.push(`join run_facets f${index} on f${index}.run_id = r.run_id`);
    conditions.push(`f${index}.org_id = $1`, `f${index}.facet = ${put(facet)}`);
  });
  if (filter.words !== undefined) {
    const range = within("d.created_at", filter.created, put);
    tables.push(`join (${wordsOf(filter, put(queryText(filter.words)), range, after, put)}) w on w.run_id = r.run_id`);
  }
  conditions.push(...within(`${table}.${at}`, filter.created, put));
  if (after !== null) conditions.push(`(${table}.${at}, ${table}.run_id) < (${put(after.at)}, ${put(after.id)})`);
  const text = `select ${RUN_COLUMNS} from ${tables.join(" ")}
    where ${conditions.join(" and ")}
    order by ${table}.${at} desc, ${table}.run_id desc limit ${put(limit)}`;
  return { statement: { name: "", text }, params };
}

/** Chooses the table with the condition that is likely to match the fewest rows. */
function driverOf({ words, facets = [], errorCode, status }: RunFilter): Driver {
  if (words !== undefined) return WORDS;
  if (facets.length > 0) return FACETS;
  return errorCode !== undefined || status !== undefined ? HEADS : RUNS;
}

type Put = (value: SqlValue) => string;

function plainConditions(filter: RunFilter, put: Put): readonly string[] {
  const { status, workflow, version, parentRunId, waitingFor, trigger, startedBy, errorCode, cost, duration } = filter;
  const conditions = ["h.listed_at is not null", "r.block is null"];
  if (status !== undefined) conditions.push(`h.status = ${put(status)}`);
  if (workflow !== undefined) conditions.push(`${driverOf(filter) === HEADS ? "h" : "r"}.workflow = ${put(workflow)}`);
  if (version !== undefined) conditions.push(`r.version = ${put(version)}`);
  if (parentRunId !== undefined) conditions.push(`r.parent_run_id = ${put(parentRunId)}`);
  if (trigger !== undefined) conditions.push(`r.trigger = ${put(trigger)}`);
  if (startedBy !== undefined) conditions.push(`r.started_by = ${put(startedBy)}`);
  if (errorCode !== undefined) conditions.push(`h.error_code = ${put(errorCode)}`);
  if (waitingFor !== undefined) conditions.push(`r.run_id in (${idsWaiting(waitingFor, "$1")})`);
  conditions.push(...inside("h.duration_ms", duration, put));
  conditions.push(...costConditions(cost, put));
  return conditions;
}

/** The cost of open runs changes all the time, so it is checked on all open runs. Ended runs are found by their final cost. */
function costConditions(cost: Range | undefined, put: Put): readonly string[] {
  const settled = inside("h.settled_micros", cost, put);
  if (settled.length === 0) return [];
  const open = inside("h.cost_micros", cost, put);
  return [
    `((h.settled_micros is not null and ${settled.join(" and ")})
      or (h.status in ('queued', 'running', 'recovered') and ${open.join(" and ")}))`,
  ];
}

function inside(column: string, { from, to }: Range = {}, put: Put): string[] {
  return [
    ...(from === undefined ? [] : [`${column} >= ${put(from)}`]),
    ...(to === undefined ? [] : [`${column} <= ${put(to)}`]),
  ];
}

/** Returns conditions for a time range, whose end is excluded. */
function within(column: string, { from, to }: Range = {}, put: Put): string[] {
  return [
    ...(from === undefined ? [] : [`${column} >= ${put(from)}`]),
    ...(to === undefined ? [] : [`${column} < ${put(to)}`]),
  ];
}

/** Selects runs with the words. If the filter has other conditions, only the newest of these runs are read. */
function wordsOf(filter: RunFilter, query: string, range: readonly string[], after: Position | null, put: Put): string {
  const { words: _words, created: _created, ...more } = filter;
  const isAlone = Object.values(more).every((value) => value === undefined);
  const page = after === null ? [] : [`(d.created_at, d.run_id) < (${put(after.at)}, ${put(after.id)})`];
  const conditions = ["d.org_id = $1", `d.words @@ ${query}::tsquery`, ...range, ...page];
  const found = `select d.run_id, d.org_id, d.created_at from run_words d where ${conditions.join(" and ")}`;
  return isAlone ? found : `${found} order by d.created_at desc, d.run_id desc limit ${CANDIDATES_MAX}`;
}
