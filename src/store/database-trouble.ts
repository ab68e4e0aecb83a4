/**
 * Classes of SQLSTATE in which a database rejects the statement itself, and would do so the next time:
 * cardinality, data, integrity, syntax and names, limits of a program, features it does not have.
 */
const OWN_CLASSES: ReadonlySet<string> = new Set(["0A", "21", "22", "23", "42", "54", "P0"]);

/** A right that was taken away for a while, in a class that is otherwise ours. */
const NOT_PERMITTED = "42501";

/**
 * True when what a database answered is about itself and not about what it was asked: away, full, locked, stopping,
 * read only, broken. What is not known to be our fault is taken for its trouble: the same is asked again later, and
 * nothing that was accepted is given up.
 */
export function isDatabaseTrouble(sqlState: string): boolean {
  return sqlState === NOT_PERMITTED || !OWN_CLASSES.has(sqlState.slice(0, 2));
}

/** Errors of our own program, which no database has made. */
export function isProgramError(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error instanceof SyntaxError
  );
}
