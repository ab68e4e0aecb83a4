import { compareCodeUnits } from "../../core/base/index.ts";
import { arrayLiteral, type Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";
import { Columns, jsonText, type RecordOf, text } from "./columns.ts";

const BLOB_KEY = new Columns({ orgId: text, hash: text });
const BLOB = new Columns({ ...BLOB_KEY.fields, body: jsonText });

const INSERT_BLOBS = {
  name: "insert blobs",
  text: `insert into blobs (org_id, hash, bytes, body)
    select i.org_id, i.hash, octet_length(i.body), i.body
    from ${BLOB.unnest()} order by i.org_id, i.hash
    on conflict (org_id, hash) do update set bytes = excluded.bytes`,
};
const REFERENCE = new Columns({ ...BLOB_KEY.fields, runId: text });
const INSERT_REFERENCES = {
  name: "insert blob references",
  text: `insert into blob_references (${REFERENCE.list()}) select ${REFERENCE.list("i")} from ${REFERENCE.unnest()}
    order by i.org_id, i.hash, i.run_id on conflict do nothing`,
};

/**
 * Stores equal values once. All writers lock rows in the same order, so that they cannot deadlock. An existing value is
 * locked until the reference to it is committed, so that it is not deleted meanwhile.
 */
export async function writeBlobs(
  sql: Sql,
  written: readonly RunCommit[],
  blobs: ReadonlyMap<string, ReadonlyMap<string, string>>,
): Promise<void> {
  const rows = new Map<string, RecordOf<typeof BLOB.fields>>();
  const references: RecordOf<typeof REFERENCE.fields>[] = [];
  for (const { runId, orgId } of written) {
    for (const [hash, body] of blobs.get(runId) ?? []) {
      rows.set(`${hash} ${orgId}`, { orgId, hash, body });
      references.push({ orgId, hash, runId });
    }
  }
  if (rows.size === 0) return;
  const sorted = [...rows].sort(([left], [right]) => compareCodeUnits(left, right)).map(([, row]) => row);
  await sql.query(INSERT_BLOBS, BLOB.batch(sorted));
  await sql.query(INSERT_REFERENCES, REFERENCE.batch(references));
}

const REMOVE_REFERENCES = {
  name: "remove blob references of runs",
  text: "delete from blob_references where run_id = any($1::text[]) returning hash",
};
const LOCK_BLOBS = {
  name: "lock blobs",
  text: "select hash from blobs where org_id = $1 and hash = any($2::text[]) order by hash for update",
};
const REMOVE_BLOBS = {
  name: "remove unused blobs",
  text: `delete from blobs b where b.org_id = $1 and b.hash = any($2::text[])
    and not exists (select from blob_references r where r.org_id = b.org_id and r.hash = b.hash)`,
};

/**
 * Deletes values to which only these runs refer. The rows are locked before references are checked: a commit that has
 * just referred to a value is waited for, and a later commit writes the value again.
 */
export async function removeUnusedBlobs(sql: Sql, orgId: string, runIds: readonly string[]): Promise<void> {
  const rows = await sql.query<{ hash: string }>(REMOVE_REFERENCES, [arrayLiteral(runIds)]);
  if (rows.length === 0) return;
  const hashes = arrayLiteral([...new Set(rows.map(({ hash }) => hash))]);
  await sql.query(LOCK_BLOBS, [orgId, hashes]);
  await sql.query(REMOVE_BLOBS, [orgId, hashes]);
}

const SELECT_BLOBS = {
  name: "select blobs",
  text: `select ${BLOB.list()} from blobs where (org_id, hash) in (select * from ${BLOB_KEY.unnest()})`,
};

/** Returns texts of blobs by organisation and hash. */
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
