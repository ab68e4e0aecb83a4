import type { Json } from "../../core/base/index.ts";
import { expandRecord, sharedNames } from "../../core/governance/index.ts";
import type { StoredVerdict } from "../governance-store.ts";
import type { Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";
import { Columns, jsonText, text } from "./columns.ts";

const PART = new Columns({ orgId: text, name: text, body: jsonText });
const PUT_PARTS = {
  name: "put verdict parts",
  text: `insert into verdict_parts (${PART.list()}) select ${PART.list("i")} from ${PART.unnest()}
    order by 1, 2 on conflict do nothing`,
};

/** What this process knows to be written, by database. */
const WRITTEN = new WeakMap<Sql, Set<string>>();
const WRITTEN_MAX = 100_000;

/** Before the verdicts that name them, and each once: they change only when what is registered does. */
export async function writeVerdictParts(sql: Sql, batch: readonly RunCommit[]): Promise<void> {
  let written = WRITTEN.get(sql);
  if (written === undefined) WRITTEN.set(sql, (written = new Set()));
  const missing = new Map<string, { orgId: string; name: string; body: string }>();
  for (const { orgId, verdicts } of batch) {
    for (const { shared } of verdicts) {
      if (shared === undefined) continue;
      for (const [name, body] of shared) {
        const key = `${orgId} ${name}`;
        if (!written.has(key)) missing.set(key, { orgId, name, body });
      }
    }
  }
  if (missing.size === 0) return;
  await sql.query(PUT_PARTS, PART.batch([...missing.values()]));
  if (written.size > WRITTEN_MAX) written.clear();
  for (const key of missing.keys()) written.add(key);
}

/** After trouble it is not known what a database has kept. */
export function forgetVerdictParts(sql: Sql): void {
  WRITTEN.delete(sql);
}

const GET_PARTS = {
  name: "verdict parts",
  text: "select name, body from verdict_parts where org_id = $1 and name = any($2::text[])",
};

/** Verdicts with everything written out. */
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
