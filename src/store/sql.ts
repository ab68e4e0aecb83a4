/** The little of a database that Sluice needs. Implementations give `bigint` columns as numbers. */
export interface Sql {
  query<Row = SqlRow>(statement: Statement, params?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Everything `work` does with the `Sql` it is given counts, or nothing does. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The same name always has the same text: connections keep statements prepared under it. '' is never kept. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** It changes rows of any organisation: those of one that is leaving this database are passed over, and the others change. */
  readonly passesOver?: boolean;
}

export type SqlRow = Readonly<Record<string, SqlScalar>>;
export type SqlScalar = string | number | boolean | null;
export type SqlValue = SqlScalar | readonly SqlScalar[];

/** Database time in epoch milliseconds, as an expression. */
export const NOW_MS = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** For statements that pass over an organisation that is leaving: without it, its rows would take the place of others. */
export function isStaying(column: string): string {
  return `coalesce(current_setting('sluice.pass_over', true), '') <> ${column}`;
}

/** An array as the database writes it. */
export function arrayLiteral(values: readonly SqlScalar[]): string {
  return `{${values.map(arrayElement).join(",")}}`;
}

export function arrayElement(value: SqlScalar): string {
  if (typeof value !== "string") return String(value);
  const isPlain = !value.includes('"') && !value.includes("\\");
  return isPlain ? `"${value}"` : `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}
