import { required, type JsonObject } from "../../core/base/index.ts";
import type { WorkflowStatus } from "../../core/event/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Sql, SqlRow } from "../sql.ts";
import type { Listed, Page, WorkflowRecord, WorkflowSaving, WorkflowStore, WorkflowVersion } from "../store.ts";
import type { RegistryChange } from "../registry-store.ts";
import { bigint, boolean, Columns, int, oneOf, optional, parsed, text } from "./columns.ts";
import { INT_MAX, lookUp } from "./look-up.ts";
import { configure } from "./sql-config.ts";

type Settings = Extract<RegistryChange, { change: "workflow" }>["settings"];

export function sqlWorkflows(sql: Sql): WorkflowStore {
  return {
    saveWorkflow: (orgId, saving) => sql.transaction((within) => save(within, orgId, saving)),
    getWorkflow: async (orgId, name) => {
      const [row] = await lookUp(sql, GET, [orgId, name]);
      return row === undefined ? undefined : recordOf(row);
    },
    listWorkflows: (orgId, page) => list(sql, orgId, page),
    getVersion: async (orgId, name, version) => {
      if (version > INT_MAX) return undefined;
      return VERSION.first(await lookUp(sql, GET_VERSION, [orgId, name, version]));
    },
    setWorkflowStatus: (orgId, name, status) =>
      configure(sql, orgId, async (within) => {
        const isKnown = (await lookUp(within, SET_STATUS, [orgId, name, status])).length > 0;
        return { result: isKnown, isChanged: isKnown };
      }),
    getDefinition: async (orgId, hash) => DEFINITION.first(await lookUp(sql, GET_DEFINITION, [orgId, hash])),
    putDefinition: async (orgId, hash, definition) => {
      await sql.query(PUT_DEFINITION, [orgId, hash, ...DEFINITION.values(definition)]);
    },
  };
}

const DEFINITION = new Columns({ source: text, catalog: optional(parsed<JsonObject>()) });
const LATEST = new Columns({
  name: text,
  version: int,
  hash: text,
  definitionHash: optional(text),
  format: oneOf<WorkflowVersion["format"]>(),
  origin: oneOf<WorkflowVersion["origin"]>(),
  savedAt: bigint,
});
const VERSION = new Columns({ ...LATEST.fields, ...DEFINITION.fields });
const WORKFLOW = new Columns(
  { name: text, status: oneOf<WorkflowStatus>(), posture: oneOf<WorkflowRecord["posture"]>(), isExposed: boolean },
  { isExposed: "exposed" },
);

const GET_VERSION = {
  name: "get version",
  text: `select ${LATEST.list("v")}, ${DEFINITION.list("d")}
    from workflow_versions v join definitions d using (org_id, hash)
    where v.org_id = $1 and v.name = $2 and v.version = $3`,
};
const WORKFLOWS = `select ${WORKFLOW.list("w")}, ${LATEST.list("v")}
  from workflows w join workflow_versions v
    on v.org_id = w.org_id and v.name = w.name and v.version = w.latest_version`;
const GET = { name: "get workflow", text: `${WORKFLOWS} where w.org_id = $1 and w.name = $2` };
const LIST = {
  name: "list workflows",
  text: `${WORKFLOWS} where w.org_id = $1 and ($2::text is null or w.name > $2) order by w.name limit $3`,
};
const SET_STATUS = {
  name: "set workflow status",
  text: "update workflows set status = $3 where org_id = $1 and name = $2 returning name",
};
/** Returns a row only when something changed. */
const SET_SETTINGS = {
  name: "set workflow settings",
  text: `update workflows set status = coalesce($3, status), posture = coalesce($4, posture),
      exposed = coalesce($5, exposed)
    where org_id = $1 and name = $2 and (coalesce($3, status), coalesce($4, posture), coalesce($5, exposed))
      is distinct from (status, posture, exposed) returning name`,
};
const GET_DEFINITION = {
  name: "get definition",
  text: `select ${DEFINITION.list()} from definitions where org_id = $1 and hash = $2`,
};
const PUT_DEFINITION = {
  name: "put definition",
  text: "insert into definitions (org_id, hash, source, catalog) values ($1, $2, $3, $4) on conflict do nothing",
};
/** Creates the row if it is missing, and locks it in any case, so that two concurrent savings get two versions. */
const HOLD = {
  name: "hold workflow",
  text: `insert into workflows (org_id, name, status, latest_version) values ($1, $2, 'active', 0)
    on conflict (org_id, name) do update set status = workflows.status returning latest_version`,
};
const ADD_VERSION = {
  name: "add version",
  text: `insert into workflow_versions
      (org_id, name, version, hash, definition_hash, format, origin, saved_at, saved_by)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};
const SET_LATEST = {
  name: "set latest version",
  text: "update workflows set latest_version = $3 where org_id = $1 and name = $2",
};

/** Saves settings, and a version if the text is new. Returns true when either changed. */
export async function putWorkflow(
  sql: Sql,
  orgId: string,
  saving: WorkflowSaving,
  { status, posture, isExposed }: Settings,
): Promise<boolean> {
  const { isNew } = await save(sql, orgId, saving);
  const settings = [status ?? null, posture ?? null, isExposed ?? null];
  const moved = await sql.query(SET_SETTINGS, [orgId, saving.name, ...settings]);
  return isNew || moved.length > 0;
}

async function save(
  sql: Sql,
  orgId: string,
  saving: WorkflowSaving,
): Promise<{ readonly version: WorkflowVersion; readonly isNew: boolean }> {
  const { name, hash, definitionHash, format, origin, savedAt, savedBy } = saving;
  const [held] = await sql.query<{ latest_version: number }>(HOLD, [orgId, name]);
  const { latest_version: latest } = required(held, "a held workflow has a row");
  const newest = VERSION.first(await sql.query(GET_VERSION, [orgId, name, latest]));
  if (newest?.hash === hash && newest.origin === origin) return { version: newest, isNew: false };
  const version = latest + 1;
  await sql.query(PUT_DEFINITION, [orgId, hash, ...DEFINITION.values(saving)]);
  await sql.query(ADD_VERSION, [orgId, name, version, hash, definitionHash, format, origin, savedAt, savedBy]);
  await sql.query(SET_LATEST, [orgId, name, version]);
  const added = VERSION.first(await sql.query(GET_VERSION, [orgId, name, version]));
  return { version: required(added, "a version just added is found"), isNew: true };
}

function recordOf(row: SqlRow): WorkflowRecord {
  return { ...WORKFLOW.read(row), latest: LATEST.read(row) };
}

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<WorkflowRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await sql.query(LIST, [orgId, after?.id ?? null, page.limit + 1]);
  return listed(rows.map(recordOf), page.limit, ({ name }) => ({ at: 0, id: name }));
}
