import type { CredentialClaim, CredentialKind } from "../directory-store.ts";
import type { Sql } from "../sql.ts";

/** The content of a database on which cells must agree. Reading it changes nothing. */
export interface CellContent {
  /** Organisations that live here. `arriving` has those that are being moved here. */
  readonly organisations: readonly string[];
  readonly arriving: readonly string[];
  /** Organisations with data here although their own row names another cell. */
  readonly marked: readonly { readonly orgId: string; readonly cell: string }[];
  readonly claims: readonly CredentialClaim[];
  /** Values made at the first start of an installation, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly hasPeople: boolean;
}

export async function listCellContent(sql: Sql, cell: string): Promise<CellContent> {
  const organisations = await sql.query<{ org_id: string }>(ORGANISATIONS, [cell]);
  const arriving = (await sql.query<{ org_id: string }>(ARRIVING)).map((row) => row.org_id);
  const marked = await sql.query<{ org_id: string; cell: string }>(MARKED, [cell]);
  const claims = await sql.query<{ kind: CredentialKind; hash: string; org_id: string }>(CLAIMS);
  const secrets = await sql.query<{ name: string; value: string }>(SECRETS);
  const [people] = await sql.query<{ found: boolean }>(PEOPLE);
  return {
    organisations: organisations.map((row) => row.org_id).filter((orgId) => !arriving.includes(orgId)),
    arriving,
    marked: marked.map(({ org_id: orgId, cell: other }) => ({ orgId, cell: other })),
    claims: claims.map(({ kind, hash, org_id: orgId }) => ({ kind, hash, orgId })),
    secrets: new Map(secrets.map(({ name, value }) => [name, value])),
    hasPeople: people?.found === true,
  };
}

/**
 * Returns a text that is the same for two addresses of one database, and different for two databases, also when one is a
 * copy of the other's files. It changes when the server restarts, so only readings without a restart can be compared.
 */
export async function readDatabaseIdentity(sql: Sql): Promise<string> {
  const [row] = await sql.query<{ identity: string }>(IDENTITY);
  return row?.identity ?? "";
}

/**
 * Organisations are also found by their keys and workflows: one may have no row of its own, and the row in a directory may name another
 * cell although the data is here.
 */
const ORGANISATIONS = {
  name: "organisations of a cell",
  text: `select org_id from organisations where cell is null or cell = $1
    union select org_id from keys union select org_id from workflows
    order by 1`,
};
const MARKED = {
  name: "organisations marked otherwise",
  text: `select o.org_id, o.cell from (select org_id from keys union select org_id from workflows) d
    join organisations o using (org_id) where o.cell <> $1 order by 1`,
};
const ARRIVING = { name: "arriving organisations", text: "select org_id from cell_arrivals" };
const CLAIMS = {
  name: "claims of a cell",
  text: `select 'key' as kind, hash, org_id from keys
    union all select 'gateway', callback_hash, org_id from gateway_links where callback_hash is not null
    union all select 'gateway', previous_callback_hash, org_id from gateway_links where previous_callback_hash is not null
    union all select 'hook', id, org_id from registry where kind = 'trigger'
    union all select 'channel', id, org_id from registry where kind = 'channel'
    union all select 'hook', workflow, org_id from workflow_hooks`,
};
const SECRETS = { name: "installation secrets", text: "select name, value from installation_secrets" };
const PEOPLE = { name: "has people", text: "select exists (select from persons) as found" };
const IDENTITY = {
  name: "",
  // The time as UTC, because addresses may come with time zones of their own.
  text: `select to_char(pg_postmaster_start_time() at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || '/' || d.oid || '/' || d.datname as identity
    from pg_database d where d.datname = current_database()`,
};
