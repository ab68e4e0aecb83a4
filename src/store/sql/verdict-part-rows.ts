import type { Json } from "../../core/base/index.ts";
import { expandRecord, sharedNames } from "../../core/governance/index.ts";
import type { StoredVerdict } from "../governance-store.ts";
import type { Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";
import { bigint, Columns, jsonText, text } from "./columns.ts";

/** A part that is still used is written again after this time, so that its time of use is never older. */
const USE_MS = 86_400_000;

const PART = new Columns({ orgId: text, name: text, body: jsonText, usedAt: bigint });
const PUT_PARTS = {
  name: "put verdict parts",
  text: `insert into verdict_parts (${PART.list()}) select ${PART.list("i")} from ${PART.unnest()}
    order by 1, 2 on conflict (org_id, name) do update set used_at = excluded.used_at
      where verdict_parts.used_at < excluded.used_at`,
};
/** Verdicts may be committed later than they were decided, for which one more `USE_MS` is left. */
const PRUNE_PARTS = {
  name: "prune verdict parts",
  text: `delete from verdict_parts where org_id = $1 and used_at < ${-2 * USE_MS} +
    least($2::bigint, (select min(v.at) from verdict_blocks v where v.org_id = $1))`,
};

/** Parts that this process knows to be stored, by database. */
const WRITTEN = new WeakMap<Sql, WrittenParts>();
const WRITTEN_MAX = 100_000;

/** Time of use by name and organisation. A lookup in two steps avoids building a combined key for every verdict. */
interface WrittenParts {
  readonly usedAt: Map<string, Map<string, number>>;
  size: number;
}

/** Writes the shared parts before the verdicts that refer to them. Each is written once a day, since it changes only with the registry. */
export async function writeVerdictParts(sql: Sql, batch: readonly RunCommit[]): Promise<void> {
  let written = WRITTEN.get(sql);
  if (written === undefined) WRITTEN.set(sql, (written = { usedAt: new Map(), size: 0 }));
  const missing = new Map<string, { orgId: string; name: string; body: string; usedAt: number }>();
  for (const { orgId, verdicts } of batch) {
    const known = written.usedAt.get(orgId);
    for (const { shared = [], at: usedAt } of verdicts) {
      for (const { name, text: body } of shared) {
        const before = known?.get(name);
        if (before === undefined || usedAt >= before + USE_MS)
          missing.set(`${orgId} ${name}`, { orgId, name, body, usedAt });
      }
    }
  }
  if (missing.size === 0) return;
  await sql.query(PUT_PARTS, PART.batch([...missing.values()]));
  for (const { orgId, name, usedAt } of missing.values()) remember(written, orgId, name, usedAt);
}

function remember(written: WrittenParts, orgId: string, name: string, usedAt: number): void {
  if (written.size >= WRITTEN_MAX) {
    written.usedAt.clear();
    written.size = 0;
  }
  let known = written.usedAt.get(orgId);
  if (known === undefined) written.usedAt.set(orgId, (known = new Map()));
  if (!known.has(name)) written.size += 1;
  known.set(name, usedAt);
}

/** Deletes the parts that no verdict of the organisation uses any more: the last use was before all of its verdicts, and before this time. */
export async function pruneVerdictParts(sql: Sql, orgId: string, before: number): Promise<void> {
  await sql.query(PRUNE_PARTS, [orgId, before]);
}

/** Clears the cache, because after an error it is unknown which parts were stored. */
export function forgetVerdictParts(sql: Sql): void {
  WRITTEN.delete(sql);
}

const GET_PARTS = {
  name: "verdict parts",
  text: "select name, body from verdict_parts where org_id = $1 and name = any($2::text[])",
};

/** Returns verdicts with their shared parts filled in. */
export async function expandVerdicts<V extends StoredVerdict>(
  sql: Sql,
  orgId: string,
  verdicts: readonly V[],
): Promise<readonly V[]> {
  const names = [...new Set(verdicts.flatMap(({ body }) => sharedNames(body)))];
  if (names.length === 0) return verdicts;
  const rows = await sql.query<{ name: string; body: string }>(GET_PARTS, [orgId, names]);
  const parts = new Map(rows.map(({ name, body }) => [name, JSON.parse(body) as Json]));
  return verdicts.map((verdict) => ({ ...verdict, body: expandRecord(verdict.body, (name) => parts.get(name)) }));
}
