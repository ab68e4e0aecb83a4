import { newSalt } from "../audit-salt.ts";
import type { AuditText } from "../audit-store.ts";
import { arrayLiteral, type Sql } from "../sql.ts";
import { bigint, Columns, parsed, text } from "./columns.ts";

const SALT = new Columns({ orgId: text, subject: text, salt: text });
const ADD_SALTS = {
  name: "add audit salts",
  text: `insert into audit_salts (${SALT.list()}) select ${SALT.list("i")} from ${SALT.unnest()} on conflict do nothing`,
};
const READ_SALTS = {
  name: "read audit salts",
  text: "select subject, salt from audit_salts where org_id = $1 and subject = any($2::text[])",
};

/** Returns the salt of each subject; makes a new one for a subject without one. */
export async function saltsOf(
  sql: Sql,
  orgId: string,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = subjects.map((subject) => ({ orgId, subject, salt: newSalt() }));
  await sql.query(ADD_SALTS, SALT.batch(rows));
  const found = await sql.query<{ subject: string; salt: string }>(READ_SALTS, [orgId, arrayLiteral(subjects)]);
  return new Map(found.map(({ subject, salt }) => [subject, salt]));
}

const TEXT = new Columns({ orgId: text, seq: bigint, subject: text, text: parsed<string>("json") });
const ADD_TEXTS = {
  name: "add audit texts",
  text: `insert into audit_texts (${TEXT.list()}) select ${TEXT.list("i")} from ${TEXT.unnest()} on conflict do nothing`,
};
const READ_TEXTS = {
  name: "read audit texts",
  text: `select ${TEXT.list()} from audit_texts where org_id = $1 and seq = any($2::bigint[])`,
};
const PRUNE_TEXTS = {
  name: "prune audit texts",
  text: "delete from audit_texts where org_id = $1 and seq = any($2::bigint[])",
};

export async function writeAuditTexts(sql: Sql, orgId: string, texts: readonly AuditText[]): Promise<void> {
  if (texts.length > 0) await sql.query(ADD_TEXTS, TEXT.batch(texts.map((one) => ({ orgId, ...one }))));
}

export async function readAuditTexts(
  sql: Sql,
  orgId: string,
  seqs: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (seqs.length === 0) return new Map();
  const rows = TEXT.all(await sql.query(READ_TEXTS, [orgId, [...seqs]]));
  return new Map(rows.map((row) => [row.seq, row.text]));
}

export async function pruneAuditTexts(sql: Sql, orgId: string, seqs: readonly number[]): Promise<void> {
  if (seqs.length > 0) await sql.query(PRUNE_TEXTS, [orgId, [...seqs]]);
}
