/**
 * Classes of SQLSTATE in which a database rejects the statement itself, so that repeating it would fail again:
 * cardinality, data, integrity, syntax and names, program limits, unsupported features.
 */
const OWN_CLASSES: ReadonlySet<string> = new Set(["0A", "21", "22", "23", "42", "54", "P0"]);

/** Missing permission, which may be temporary. Its class otherwise contains errors of our own statements. */
const NOT_PERMITTED = "42501";

/**
 * True when an error of the database is about the database itself and not about the statement: unreachable, full,
 * locked, stopping, read only, broken. An unknown error counts as trouble of the database: the statement is repeated
 * later, and nothing that was accepted is lost.
 */
export function isDatabaseTrouble(sqlState: string): boolean {
  return sqlState === NOT_PERMITTED || !OWN_CLASSES.has(sqlState.slice(0, 2));
}

/** True for errors of our own program, which do not come from a database. */
export function isProgramError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
