import { compareCodeUnits } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";
import { Columns, jsonText, type RecordOf, text } from "./columns.ts";

const BLOB_KEY = new Columns({ orgId: text, hash: text });
const BLOB = new Columns({ ...BLOB_KEY.fields, body: jsonText });

const INSERT_BLOBS = {
  name: "insert blobs",
  text: `insert into blobs (org_id, hash, bytes, body)
    select i.org_id, i.hash, octet_length(i.body), i.body
    from ${BLOB.unnest()} order by i.org_id, i.hash on conflict do nothing`,
};

/** Equal values are kept once; all writers take them in the same order, so that none waits in a circle. */
export async function writeBlobs(
  sql: Sql,
  written: readonly RunCommit[],
  blobs: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Promise<void> {
  const rows = new Map<string, RecordOf<typeof BLOB.fields>>();
  for (const { runId, orgId } of written) {
    for (const [hash, body] of blobs.get(runId) ?? []) rows.set(`${hash} ${orgId}`, { orgId, hash, body });
  }
  if (rows.size === 0) return;
  const sorted = [...rows].sort(([left], [right]) => compareCodeUnits(left, right)).map(([, row]) => row);
  await sql.query(INSERT_BLOBS, BLOB.batch(sorted));
}

const SELECT_BLOBS = {
  name: "select blobs",
  text: `select ${BLOB.list()} from blobs where (org_id, hash) in (select * from ${BLOB_KEY.unnest()})`,
};

/** Texts of blobs by `hash` and organisation. */
export async function readBlobs(
  sql: Sql,
  wanted: readonly { readonly orgId: string; readonly hash: string }[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const found = new Map<string, Map<string, string>>();
  if (wanted.length === 0) return found;
  for (const { orgId, hash, body } of BLOB.all(await sql.query(SELECT_BLOBS, BLOB_KEY.batch(wanted)))) {
    let texts = found.get(orgId);
    if (texts === undefined) found.set(orgId, (texts = new Map()));
    texts.set(hash, body);
  }
  return found;
}
