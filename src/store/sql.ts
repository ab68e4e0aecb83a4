/** The part of a database that Sluice needs. Implementations return `bigint` columns as numbers. */
export interface Sql {
  query<Row = SqlRow>(statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs `work` in a transaction: all its changes through the given `Sql` are committed, or none. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A statement. The same name must always have the same text, because connections prepare it by name. A '' name is not prepared. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** For changes in rows of several organisations: rows of one that is leaving this database are skipped, the others change. */
  readonly skipsMovingOrganisation?: boolean;
}

export type SqlRow = Readonly<Record<string, SqlScalar>>;
export type SqlScalar = string | number | boolean | null;
export type SqlValue = SqlScalar | readonly SqlScalar[];

/** Database time in epoch milliseconds, as an expression. */
export const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Condition for statements that skip an organisation that is leaving. Without it, its rows would fill the limit of the statement. */
export function isNotLeaving(column: string): string {
  return `coalesce(current_setting('sluice.pass_over', true), '') <> ${column}`;
}

/** Formats an array as a Postgres array literal. */
export function arrayLiteral(values: readonly SqlScalar[]): string {
  return `{${values.map(arrayElement).join(",")}}`;
}

export function arrayElement(value: SqlScalar): string {
  if (typeof value !== "string") return String(value);
  const isPlain = !value.includes('"') && !value.includes("\\");
  return isPlain ? `"${value}"` : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}
