/** One numbered change of the schema. Released migrations are never edited; a later migration changes the result instead. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** The oldest program that may use the schema after this migration, given as the last version that program knows. */
  readonly minReader: number;
  readonly statements: readonly string[];
}

/** Returns a check that restricts a column to a closed list of values. */
export function oneOf(column: string, values: readonly string[]): string {
  return `check (${column} in (${values.map((value) => `'${value}'`).join(", ")}))`;
}
