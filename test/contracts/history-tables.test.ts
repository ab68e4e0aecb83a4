import { expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { createSqlStore, type Sql } from "../../src/store/index.ts";
import { ownPostgres } from "./own-postgres.ts";
import { creation } from "./shares.ts";

/** Rows that stay when their run is deleted, and why. None of them holds content of the run. */
const KEPT: Readonly<Record<string, string>> = {
  audit_records: "the chain: what was sealed leaves only with its segment",
  usage_records: "money that was spent; usage has a retention of its own",
  schedule_slots: "a slot that is forgotten would be started again",
  run_archives: "where the run can be found again",
  trigger_deliveries: "a delivery that is forgotten would be taken for a new one",
};

const TABLES = {
  name: "",
  text: `select c.table_name from information_schema.columns c join pg_class p on p.relname = c.table_name
    where c.table_schema = 'public' and c.column_name = 'run_id' and p.relkind in ('r', 'p') and not p.relispartition
    order by 1`,
};

const database = ownPostgres();

/** The same database, and every statement that was sent to it. */
function watched(inner: Sql, sent: string[]): Sql {
  return {
    query: (statement, params) => {
      sent.push(statement.text);
      return inner.query(statement, params);
    },
    transaction: (work) => inner.transaction((within) => work(watched(within, sent))),
    close: () => inner.close(),
  };
}

it("every table that knows runs is emptied of a run that is deleted, or says why not", async () => {
  const sent: string[] = [];
  const store = createSqlStore(watched(database(), sent));
  await store.commit([creation("run_1", {}, { head: { status: "completed", endedAt: 1 } })]);
  const note = () => auditEntry({ at: 1, type: "run.deleted", actor: "ann", resource: "run/run_1", detail: {} });
  expect(await store.deleteFamily("org_1", "run_1", note)).toMatchObject({ kind: "deleted" });
  const tables = (await database().query<{ table_name: string }>(TABLES)).map((row) => row.table_name);
  const emptied = tables.filter((table) => sent.some((text) => text.startsWith(`delete from ${table} where run_id`)));
  expect([...emptied, ...Object.keys(KEPT)].toSorted()).toEqual(tables);
});

it("the shared parts of verdicts are deleted once no verdict uses them, and written again when one does", async () => {
  const DAY = 86_400_000;
  const store = createSqlStore(database());
  const using = (runId: string, name: string, day: number) => {
    const shared = [{ name, text: JSON.stringify([{ gate: name, outcome: "pass" }]) }];
    const verdict = {
      verdictId: `vrd_${runId}`,
      nodeId: "a",
      attempt: 1,
      at: day * DAY,
      gate: null,
      code: null,
    } as const;
    const verdicts = [{ ...verdict, disposition: "allow", bodyText: JSON.stringify({ trail: name }), shared } as const];
    return creation(runId, {}, { verdicts, head: { status: "completed", endedAt: day * DAY } });
  };
  const names = async (): Promise<readonly string[]> => {
    const text = "select name from verdict_parts where org_id = 'org_1' order by 1";
    return (await database().query<{ name: string }>({ name: "", text })).map(({ name }) => name);
  };
  const prune = (day: number): Promise<number> =>
    store.pruneVerdicts("org_1", { before: day * DAY, workflow: null, except: [] }, 100);
  for (const [runId, name, day] of [
    ["run_p1", "@first", 10],
    ["run_p2", "@both", 10],
    ["run_p3", "@both", 20],
    ["run_p4", "@last", 20],
  ] as const)
    await store.commit([using(runId, name, day)]);
  expect([await prune(9), await names()]).toEqual([0, ["@both", "@first", "@last"]]);
  expect([await prune(15), await names()]).toEqual([2, ["@both", "@last"]]);
  expect(await store.verdictsOf("org_1", "run_p3")).toMatchObject([{ body: { trail: [{ gate: "@both" }] } }]);
  expect([await prune(40), await names()]).toEqual([2, []]);
  await store.commit([using("run_p5", "@last", 40)]);
  expect(await store.verdictsOf("org_1", "run_p5")).toMatchObject([{ body: { trail: [{ gate: "@last" }] } }]);
});
