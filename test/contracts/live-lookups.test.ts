import { expect, it } from "vitest";
import { required } from "../../src/core/base/index.ts";
import { createSqlStore, type Sql, type SqlValue, type Statement } from "../../src/store/index.ts";
import { ownPostgres } from "./own-postgres.ts";
import { creation } from "./shares.ts";

const database = ownPostgres();
const RUNS = 4_000;
const ORGANISATIONS = 20;
const NEWEST = 200;

interface Step {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Step[];
}

const flat = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(flat)];
const plain = (text: string): Statement => ({ name: "", text });

/** As many more rows like that of one run, spread over the organisations. */
const multiply = (table: string, columns: string): Statement =>
  plain(`insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('run_id', 'run_' || n,
      'org_id', 'org_' || n % ${ORGANISATIONS}, ${columns}))).* from ${table} t, generate_series(1, ${RUNS}) n
    where t.run_id = 'run_x'`);

it("the runs of open pages are read by index, however many wait: none is compared with each other", async () => {
  const sql = database();
  await createSqlStore(sql).commit([creation("run_x", {}, { orgId: "org_x" })]);
  await sql.query(multiply("runs", "'created_at', n"));
  await sql.query(multiply("run_heads", "'listed_at', n"));
  for (const table of ["runs", "run_heads"]) await sql.query(plain(`analyze ${table}`));
  const asked: { statement: Statement; params: readonly SqlValue[] }[] = [];
  const watched: Sql = {
    ...sql,
    query: (statement, params = []) => {
      asked.push({ statement, params });
      return sql.query(statement, params);
    },
  };
  const orgIds = ["org_1", "org_2", "org_3", "org_4", "org_5"];
  const query = { orgIds, createdSince: RUNS - 10, limit: NEWEST };
  const found = await createSqlStore(watched).listLiveRuns({ ...query, runIds: [], known: new Map() });
  const newest = Array.from({ length: RUNS }, (_, index) => RUNS - index).filter((n) =>
    orgIds.includes(`org_${n % ORGANISATIONS}`),
  );
  expect(found.map(({ runId }) => runId)).toEqual(newest.slice(0, NEWEST).map((n) => `run_${n}`));
  const { statement, params } = required(asked.at(-1), "something was asked");
  const [row] = await sql.query<{ "QUERY PLAN": string | readonly { Plan: Step }[] }>(
    plain(`explain (analyze, timing off, format json) ${statement.text}`),
    params,
  );
  const plan = required(row, "a plan")["QUERY PLAN"];
  const [first] = typeof plan === "string" ? (JSON.parse(plan) as readonly { Plan: Step }[]) : plan;
  const steps = flat(required(first, "a plan").Plan);
  expect(steps.filter((step) => step["Node Type"] === "Seq Scan")).toEqual([]);
  const compared = steps.reduce(
    (sum, step) => sum + (step["Rows Removed by Join Filter"] ?? 0) * step["Actual Loops"],
    0,
  );
  expect(compared).toBe(0);
});
