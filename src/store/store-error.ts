/** The database could not be reached or disconnected. The statement may or may not have been executed. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The SQLSTATE of a write to an organisation that is leaving this database. */
export const MOVING_STATE = "SL001";

/** The organisation is being moved to another cell: it cannot be changed here, and will soon be available there. */
export class OrganisationMoving extends StoreUnavailable {
  readonly orgId: string;
  constructor(orgId: string, cause: unknown) {
    super(`the organisation ${orgId} is being moved to another cell`, { cause });
    this.orgId = orgId;
  }
}

/** A pooler between us and the database loses session state, or rejects startup parameters. */
export class PoolerUnsupported extends StoreUnavailable {
  constructor(what: string, cause: unknown) {
    super(`the pooler in front of the database ${what}; ${POOLER_SETTINGS}`, { cause });
  }
}

const POOLER_SETTINGS =
  "use PgBouncer 1.21 or newer with max_prepared_statements = 200 and " +
  "ignore_startup_parameters = options,statement_timeout,idle_in_transaction_session_timeout, " +
  "or connect to Postgres itself";

/** The schema of the database and this program are incompatible. */
export class SchemaMismatch extends Error {
  override readonly name = "SchemaMismatch";
}

/** Another caller has changed the entry since it was read. */
export class EntryChanged extends Error {
  override readonly name = "EntryChanged";
  constructor(id: string) {
    super(`"${id}" has been changed meanwhile`);
  }
}

/** A list cursor that no earlier page returned. */
export class BadCursor extends Error {
  override readonly name = "BadCursor";
  constructor() {
    super("the cursor is none that a list gave out; leave it out to begin at the start");
  }
}

/** Text that a database cannot store: it contains NUL or half of a surrogate pair. */
export class UnstorableText extends Error {
  override readonly name = "UnstorableText";
  constructor(place: string) {
    super(`${place} holds NUL or half of a surrogate pair; repair the text before it is stored`);
  }
}
