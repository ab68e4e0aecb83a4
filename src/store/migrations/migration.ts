/** One numbered step of the schema. Released steps are never edited; a later step changes what they made. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  /** The oldest program that may work on the schema once this step is done, by the last version it knows. */
  readonly minReader: number;
  readonly statements: readonly string[];
}

/** A check that a column holds one of a closed list. */
export function oneOf(column: string, values: readonly string[]): string {
  return `check (${column} in (${values.map((value) => `'${value}'`).join(", ")}))`;
}
