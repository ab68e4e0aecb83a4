/** The database could not be reached or went away; what was asked may or may not have been done. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The SQLSTATE of a write about an organisation that is leaving this database. */
export const MOVING_STATE = "SL001";

/** The organisation is on its way to another cell: nothing of it may change here, and soon it is there. */
export class OrganisationMoving extends StoreUnavailable {
  readonly orgId: string;
  constructor(orgId: string, cause: unknown) {
    super(`the organisation ${orgId} is being moved to another cell`, { cause });
    this.orgId = orgId;
  }
}

/** What stands between us and the database loses what a session keeps, or refuses how one begins. */
export class PoolerUnsupported extends StoreUnavailable {
  constructor(what: string, cause: unknown) {
    super(`the pooler in front of the database ${what}; ${POOLER_SETTINGS}`, { cause });
  }
}

const POOLER_SETTINGS =
  "use PgBouncer 1.21 or newer with max_prepared_statements = 200 and " +
  "ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout, " +
  "or connect to Postgres itself";

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
