/** The database could not be reached or went away; what was asked may or may not have been done. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The schema of the database and this program do not fit. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/** A list cursor that no earlier answer gave out. */
export class BadCursor extends Error {
  override readonly name = "BadCursor";
  constructor() {
    super("the cursor is none that a list gave out; leave it out to begin at the start");
  }
}

/** Text that a database cannot keep: it holds NUL or half of a surrogate pair. */
export class UnstorableText extends Error {
  override readonly name = "UnstorableText";
  constructor(place: string) {
    super(`${place} holds NUL or half of a surrogate pair; repair the text before it is stored`);
  }
}
