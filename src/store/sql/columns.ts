import { arrayElement, type SqlRow, type SqlScalar } from "../sql.ts";

/** Type of a column in a batch. `json` is text without control characters, so it needs no escaping. */
type ColumnType = "text" | "int" | "bigint" | "boolean" | "json";

/** A column of a table, with values of type `T` in the program. */
export interface Column<T> {
  readonly type: ColumnType;
  /** True when the value is stored as JSON text and parsed in the program. */
  readonly isParsed: boolean;
  /** Exists only for type inference. */
  readonly value?: T;
}

export const text: Column<string> = { type: "text", isParsed: false };
export const int: Column<number> = { type: "int", isParsed: false };
export const bigint: Column<number> = { type: "bigint", isParsed: false };
export const boolean: Column<boolean> = { type: "boolean", isParsed: false };
/** JSON text that the program does not parse. */
export const jsonText: Column<string> = { type: "json", isParsed: false };

/** Text with one of a few values. */
export function oneOf<T extends string>(): Column<T> {
  return { type: "text", isParsed: false };
}

/** A value kept as JSON. */
export function parsed<T>(type: "text" | "json" = "text"): Column<T> {
  return { type, isParsed: true };
}

export function optional<T>({ type, isParsed }: Column<T>): Column<T | null> {
  return { type, isParsed };
}

type Fields = Readonly<Record<string, Column<unknown>>>;

/** The record type of a row with these columns. */
export type RecordOf<F> = { readonly [K in keyof F]: F[K] extends Column<infer T> ? T : never };

const SEPARATOR = "\x1e";

/**
 * Describes the columns of a table, or some of them, once: their order, their names (`runId` is `run_id`), their types,
 * and the conversion from rows to records and from records to parameters.
 */
export class Columns<F extends Fields> {
  readonly fields: F;
  readonly #columns: readonly { readonly field: string; readonly name: string; readonly column: Column<unknown> }[];

  constructor(fields: F, names: { readonly [K in keyof F]?: string } = {}) {
    this.fields = fields;
    this.#columns = Object.entries(fields).map(([field, column]) => ({
      field,
      name: names[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      column,
    }));
  }

  /** Returns the column list for a select or an insert, prefixed with the table alias where several tables are joined. */
  list(alias?: string): string {
    return this.#columns.map(({ name }) => (alias === undefined ? name : `${alias}.${name}`)).join(", ");
  }

  /** Returns the placeholders of one record's `values`. */
  get places(): string {
    return this.#columns.map((_, index) => `$${index + 1}`).join(", ");
  }

  /** Returns assignments for an insert that conflicts: every column except these takes its new value. */
  updatesExcept(...kept: readonly (keyof F)[]): string {
    const updated = this.#columns.filter(({ field }) => !kept.includes(field));
    return updated.map(({ name }) => `${name} = excluded.${name}`).join(", ");
  }

  read(row: SqlRow): RecordOf<F> {
    const record: Record<string, unknown> = {};
    for (const { field, name, column } of this.#columns) {
      const value = row[name] ?? null;
      record[field] = column.isParsed && value !== null ? JSON.parse(String(value)) : value;
    }
    return record as RecordOf<F>;
  }

  all(rows: readonly SqlRow[]): readonly RecordOf<F>[] {
    return rows.map((row) => this.read(row));
  }

  first([row]: readonly SqlRow[]): RecordOf<F> | undefined {
    return row === undefined ? undefined : this.read(row);
  }

  /** Returns one record as parameters. */
  values(record: RecordOf<F>): SqlScalar[] {
    return this.#columns.map(({ field, column }) => scalarOf(column, record[field]));
  }

  /**
   * Returns many records as parameters, one text for each column. Drivers accept arrays too, but process every element
   * several times, which cost as much as the whole rest of a commit.
   */
  batch(records: readonly RecordOf<F>[]): string[] {
    return this.#columns.map(({ field, column }) => {
      if (column.type === "json") return records.map((row) => scalarOf(column, row[field]) ?? "null").join(SEPARATOR);
      return `{${records.map((row) => arrayElement(scalarOf(column, row[field]))).join(",")}}`;
    });
  }

  /** Returns expressions for the arrays of `batch`, whose parameters begin at `place`. */
  arrays(place = 1): string {
    return this.#columns.map(({ column: { type } }, index) => arrayAt(type, place + index)).join(", ");
  }

  /** Returns the records of a batch as a table `i`. */
  unnest(place = 1): string {
    return `unnest(${this.arrays(place)}) as i(${this.list()})`;
  }

  get count(): number {
    return this.#columns.length;
  }
}

function scalarOf({ isParsed }: Column<unknown>, value: unknown): SqlScalar {
  const known = value ?? null;
  return isParsed && known !== null ? JSON.stringify(known) : (known as SqlScalar);
}

function arrayAt(type: ColumnType, place: number): string {
  return type === "json" ? `string_to_array($${place}, chr(30), 'null')` : `$${place}::${type}[]`;
}
