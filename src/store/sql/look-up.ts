import type { Sql, SqlRow, SqlValue, Statement } from "../sql.ts";

/** Maximum of an `int` column. A larger requested id or version does not exist. */
export const INT_MAX = 2_147_483_647;

/** Queries rows by texts from outside. A text with NUL matches nothing, because a database would reject the query. */
export async function lookUp<Row = SqlRow>(
  sql: Sql,
  statement: Statement,
  params: readonly SqlValue[],
): Promise<readonly Row[]> {
  const isAskable = params.every((value) => typeof value !== "string" || !value.includes("\0"));
  return isAskable ? sql.query<Row>(statement, params) : [];
}
