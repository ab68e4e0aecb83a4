import { NO_FIGURES, type TrendFigures } from "../../core/search/index.ts";
import type { TrendRow, TrendSelection } from "../search-store.ts";
import type { Sql } from "../sql.ts";
import { inOrder, shareOf, TrendChanges, type TrendKey, type TrendShare } from "../trend-share.ts";
import { bigint, Columns, text } from "./columns.ts";
import type { ReadRun } from "./word-rows.ts";

const KEY = new Columns(
  { orgId: text, bucket: text, by: text, start: bigint, group: text },
  { by: "grouped_by", group: "group_name" },
);
const ROW = new Columns({ ...KEY.fields, figures: text }, { by: "grouped_by", group: "group_name" });

const SHARES = {
  name: "trend shares",
  text: "select run_id, trend from run_words where run_id = any($1::text[]) and trend is not null",
};
const KEEP_SHARES = {
  name: "keep trend shares",
  text: `update run_words w set trend = i.trend from unnest($1::text[], $2::text[]) as i(run_id, trend)
    where w.run_id = i.run_id`,
};
/** Creates all missing rows before they are locked, in one order, so that two writers of the same rows run one after the other. */
const MAKE = {
  name: "make trends",
  text: `insert into run_trends (${KEY.list()}, figures)
    select ${KEY.list("i")}, '' from ${KEY.unnest()} order by ${KEY.list("i")} on conflict do nothing`,
};
const LOCK = {
  name: "lock trends",
  text: `select ${ROW.list("t")} from run_trends t join ${KEY.unnest()} using (${KEY.list()})
    order by ${KEY.list("t")} for update of t`,
};
const WRITE = {
  name: "write trends",
  text: `update run_trends t set figures = i.figures from ${ROW.unnest()}
    where t.org_id = i.org_id and t.bucket = i.bucket and t.grouped_by = i.grouped_by and t.start = i.start
      and t.group_name = i.group_name`,
};

/** Adds ended runs to the trends, and subtracts their earlier share if they had ended before. */
export async function addToTrends(sql: Sql, runs: readonly ReadRun[]): Promise<void> {
  const kept = await sharesOf(sql, runs);
  const changes = new Map<string, TrendChanges>();
  const shares: (readonly [runId: string, share: string | null])[] = [];
  for (const { run, document } of runs) {
    const share = shareOf(run, document);
    const before = kept.get(run.runId) ?? null;
    const written = share === null ? null : JSON.stringify(share);
    if (written === before) continue;
    const ofOrg = changes.get(run.orgId) ?? new TrendChanges();
    changes.set(run.orgId, ofOrg);
    if (before !== null) ofOrg.add(JSON.parse(before) as TrendShare, -1);
    if (share !== null) ofOrg.add(share);
    shares.push([run.runId, written]);
  }
  if (shares.length === 0) return;
  await sql.query(KEEP_SHARES, [shares.map(([runId]) => runId), shares.map(([, share]) => share)]);
  const rows = [...changes].flatMap(([orgId, ofOrg]) => ofOrg.rows().map((row) => ({ orgId, ...row })));
  const keys = rows.map(({ orgId, key }) => ({ orgId, ...key }));
  await sql.query(MAKE, KEY.batch(keys));
  const held = new Map(ROW.all(await sql.query(LOCK, KEY.batch(keys))).map((row) => [idOf(row), row.figures] as const));
  const written = rows.map(({ orgId, key, change }) => {
    const before = held.get(idOf({ orgId, ...key })) ?? "";
    return { orgId, ...key, figures: JSON.stringify(change(readFigures(before))) };
  });
  await sql.query(WRITE, ROW.batch(written));
}

async function sharesOf(sql: Sql, runs: readonly ReadRun[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ run_id: string; trend: string }>(SHARES, [runs.map(({ run }) => run.runId)]);
  return new Map(rows.map(({ run_id, trend }) => [run_id, trend]));
}

type OwnKey = Pick<TrendKey, "group" | "start"> & {
  readonly orgId: string;
  readonly bucket: string;
  readonly by: string;
};

function idOf({ orgId, bucket, by, group, start }: OwnKey): string {
  return JSON.stringify([orgId, bucket, by, group, start]);
}

function readFigures(written: string): TrendFigures {
  return written === "" ? NO_FIGURES : (JSON.parse(written) as TrendFigures);
}

const READ = {
  name: "read trends",
  text: `select start, group_name, figures from run_trends where org_id = $1 and bucket = $2 and grouped_by = $3
    and start >= $4 and start < $5 and ($6::text is null or group_name = $6)`,
};

export async function readTrends(
  sql: Sql,
  orgId: string,
  { bucket, by, group, since, until }: TrendSelection,
): Promise<readonly TrendRow[]> {
  const params = [orgId, bucket, by ?? "", since, until, by === null ? null : (group ?? null)];
  const rows = await sql.query<{ start: number; group_name: string; figures: string }>(READ, params);
  return rows
    .map((row) => ({
      bucketStart: row.start,
      group: by === null ? null : row.group_name,
      figures: readFigures(row.figures),
    }))
    .filter(({ figures }) => figures.durations.length > 0)
    .sort(inOrder);
}
