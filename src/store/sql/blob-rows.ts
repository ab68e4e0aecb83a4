import { compareCodeUnits } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";

const INSERT_BLOBS = {
  name: "insert blobs",
  text: `insert into blobs (org_id, hash, bytes, body)
    select i.org_id, i.hash, octet_length(i.body), i.body
    from unnest($1::text[], $2::text[], $3::text[]) as i(org_id, hash, body)
    order by i.org_id, i.hash on conflict do nothing`,
};

/** Equal values are kept once; all writers take them in the same order, so that none waits in a circle. */
export async function writeBlobs(
  sql: Sql,
  written: readonly RunCommit[],
  blobs: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Promise<void> {
  const rows = new Map<string, readonly [orgId: string, hash: string, body: string]>();
  for (const { runId, orgId } of written) {
    for (const [hash, body] of blobs.get(runId) ?? []) rows.set(`${hash} ${orgId}`, [orgId, hash, body]);
  }
  if (rows.size === 0) return;
  const sorted = [...rows].sort(([left], [right]) => compareCodeUnits(left, right)).map(([, row]) => row);
  await sql.query(INSERT_BLOBS, [
    sorted.map(([orgId]) => orgId),
    sorted.map(([, hash]) => hash),
    sorted.map(([, , body]) => body),
  ]);
}

const SELECT_BLOBS = {
  name: "select blobs",
  text: `select org_id, hash, body from blobs
    where (org_id, hash) in (select * from unnest($1::text[], $2::text[]))`,
};

/** Texts of blobs by `hash` and organisation. */
export async function readBlobs(
  sql: Sql,
  wanted: readonly { readonly orgId: string; readonly hash: string }[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  if (wanted.length === 0) return found;
  const rows = await sql.query<{ org_id: string; hash: string; body: string }>(SELECT_BLOBS, [
    wanted.map(({ orgId }) => orgId),
    wanted.map(({ hash }) => hash),
  ]);
  for (const { org_id: orgId, hash, body } of rows) {
    let texts = found.get(orgId);
    if (texts === undefined) found.set(orgId, (texts = new Map()));
    texts.set(hash, body);
  }
  return found;
}
