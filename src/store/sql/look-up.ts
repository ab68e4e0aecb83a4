import type { Sql, SqlRow, SqlValue, Statement } from "../sql.ts";

/** What an `int` column holds at most; ids and versions asked for beyond it exist nowhere. */
export const INT_MAX = 2_147_483_647;

/** Rows that match texts from outside. A text with NUL matches nothing, where a database would refuse to be asked. */
export async function lookUp<Row = SqlRow>(
  sql: Sql,
  statement: Statement,
  params: readonly SqlValue[],
): Promise<readonly Row[]> {
  const isAskable = params.every((value) => typeof value !== "string" || !value.includes("\0"));
  return isAskable ? sql.query<Row>(statement, params) : [];
}
