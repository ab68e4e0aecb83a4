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

/** Parts that this process knows to be stored, by database. */
const WRITTEN = new WeakMap<Sql, WrittenParts>();
const WRITTEN_MAX = 100_000;

/** Names by organisation. A lookup in two steps avoids building a combined key for every verdict. */
interface WrittenParts {
  readonly names: Map<string, Set<string>>;
  size: number;
}

/** Writes the shared parts before the verdicts that refer to them. Each is written once, since it changes only with the registry. */
export async function writeVerdictParts(sql: Sql, batch: readonly RunCommit[]): Promise<void> {
  let written = WRITTEN.get(sql);
  if (written === undefined) WRITTEN.set(sql, (written = { names: new Map(), size: 0 }));
  const missing = new Map<string, { orgId: string; name: string; body: string }>();
  for (const { orgId, verdicts } of batch) {
    const known = written.names.get(orgId);
    for (const { shared = [] } of verdicts) {
      for (const { name, text: body } of shared) {
        if (known?.has(name) !== true) missing.set(`${orgId} ${name}`, { orgId, name, body });
      }
    }
  }
  if (missing.size === 0) return;
  await sql.query(PUT_PARTS, PART.batch([...missing.values()]));
  for (const { orgId, name } of missing.values()) remember(written, orgId, name);
}

function remember(written: WrittenParts, orgId: string, name: string): void {
  if (written.size >= WRITTEN_MAX) {
    written.names.clear();
    written.size = 0;
  }
  let known = written.names.get(orgId);
  if (known === undefined) written.names.set(orgId, (known = new Set()));
  known.add(name);
  written.size += 1;
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
