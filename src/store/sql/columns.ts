import { arrayElement, type SqlRow, type SqlScalar } from "../sql.ts";

/** How a batch carries a column. `json` is text without control characters, so that it needs no escaping. */
type ColumnType = "text" | "int" | "bigint" | "boolean" | "json";

/** A column of a table whose values are `T` in the program. */
export interface Column<T> {
  readonly type: ColumnType;
  /** Kept as the text of its JSON. */
  readonly isParsed: boolean;
  /** Only for the compiler. */
  readonly value?: T;
}

export const text: Column<string> = { type: "text", isParsed: false };
export const int: Column<number> = { type: "int", isParsed: false };
export const bigint: Column<number> = { type: "bigint", isParsed: false };
export const boolean: Column<boolean> = { type: "boolean", isParsed: false };
/** Text that is JSON and stays text in the program. */
export const jsonText: Column<string> = { type: "json", isParsed: false };

/** Text that is one of a few. */
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

/** A row of these columns in the program. */
export type RecordOf<F> = { readonly [K in keyof F]: F[K] extends Column<infer T> ? T : never };

const SEPARATOR = "\x1e";

/**
 * The columns of a table, or of some of it, described once: their order, their names (`runId` is `run_id`), their types,
 * and how rows become records and records become parameters.
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

  /** For a select or an insert; with the alias of the table where several are joined. */
  list(alias?: string): string {
    return this.#columns.map(({ name }) => (alias === undefined ? name : `${alias}.${name}`)).join(", ");
  }

  /** The places of one record's `values` in a statement. */
  get places(): string {
    return this.#columns.map((_, index) => `$${index + 1}`).join(", ");
  }

  /** For an insert that meets the row: every column but these takes its new value. */
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

  /** One record as parameters. */
  values(record: RecordOf<F>): SqlScalar[] {
    return this.#columns.map(({ field, column }) => scalarOf(column, record[field]));
  }

  /**
   * Many records as parameters, a text for each column. Drivers would take arrays too, but they look at every element
   * several times, which cost as much as the whole rest of a commit.
   */
  batch(records: readonly RecordOf<F>[]): string[] {
    return this.#columns.map(({ field, column }) => {
      if (column.type === "json") return records.map((row) => scalarOf(column, row[field]) ?? "null").join(SEPARATOR);
      return `{${records.map((row) => arrayElement(scalarOf(column, row[field]))).join(",")}}`;
    });
  }

  /** The arrays that `batch` wrote into the parameters from `place` on. */
  arrays(place = 1): string {
    return this.#columns.map(({ column: { type } }, index) => arrayAt(type, place + index)).join(", ");
  }

  /** The records of a batch as a table `i`. */
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
