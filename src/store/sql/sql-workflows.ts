import { required, type JsonObject } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Sql } from "../sql.ts";
import type {
  Listed,
  Page,
  WorkflowRecord,
  WorkflowSaving,
  WorkflowStatus,
  WorkflowStore,
  WorkflowVersion,
} from "../store.ts";
import type { RegistryChange } from "../registry-store.ts";
import { INT_MAX, lookUp } from "./look-up.ts";
import { configure } from "./sql-config.ts";

type Settings = Extract<RegistryChange, { change: "workflow" }>["settings"];

export function sqlWorkflows(sql: Sql): WorkflowStore {
  return {
    saveWorkflow: (orgId, saving) => sql.transaction((within) => save(within, orgId, saving)),
    getWorkflow: async (orgId, name) => {
      const [row] = await lookUp<WorkflowRow>(sql, GET, [orgId, name]);
      return row === undefined ? undefined : recordOf(row);
    },
    listWorkflows: (orgId, page) => list(sql, orgId, page),
    getVersion: async (orgId, name, version) => {
      if (version > INT_MAX) return undefined;
      const [row] = await lookUp<VersionRow>(sql, GET_VERSION, [orgId, name, version]);
      return row === undefined ? undefined : versionOf(row);
    },
    setWorkflowStatus: (orgId, name, status) =>
      configure(sql, orgId, async (within) => {
        const isKnown = (await lookUp(within, SET_STATUS, [orgId, name, status])).length > 0;
        return { result: isKnown, isChanged: isKnown };
      }),
    getDefinition: async (orgId, hash) => {
      const [row] = await lookUp<{ source: string; catalog: string | null }>(sql, GET_DEFINITION, [orgId, hash]);
      return row === undefined ? undefined : { source: row.source, catalog: catalogOf(row.catalog) };
    },
    putDefinition: async (orgId, hash, { source, catalog }) => {
      await sql.query(PUT_DEFINITION, [orgId, hash, source, catalogText(catalog)]);
    },
  };
}

interface VersionRow {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly format: WorkflowVersion["format"];
  readonly saved_at: number;
  readonly source: string;
  readonly catalog: string | null;
}

interface WorkflowRow extends Omit<VersionRow, "source" | "catalog"> {
  readonly status: WorkflowStatus;
  readonly posture: WorkflowRecord["posture"];
  readonly exposed: boolean;
}

const GET_VERSION = {
  name: "get version",
  text: `select v.name, v.version, v.hash, v.format, v.saved_at, d.source, d.catalog
    from workflow_versions v join definitions d using (org_id, hash)
    where v.org_id = $1 and v.name = $2 and v.version = $3`,
};
const WORKFLOWS = `select w.name, w.status, w.posture, w.exposed, v.version, v.hash, v.format, v.saved_at
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
/** Answers only when something changed. */
const SET_SETTINGS = {
  name: "set workflow settings",
  text: `update workflows set status = coalesce($3, status), posture = coalesce($4, posture),
      exposed = coalesce($5, exposed)
    where org_id = $1 and name = $2 and (coalesce($3, status), coalesce($4, posture), coalesce($5, exposed))
      is distinct from (status, posture, exposed) returning name`,
};
const GET_DEFINITION = {
  name: "get definition",
  text: "select source, catalog from definitions where org_id = $1 and hash = $2",
};
const PUT_DEFINITION = {
  name: "put definition",
  text: "insert into definitions (org_id, hash, source, catalog) values ($1, $2, $3, $4) on conflict do nothing",
};
/** Makes the row if need be and holds it either way, so that two who save at once get two versions. */
const HOLD = {
  name: "hold workflow",
  text: `insert into workflows (org_id, name, status, latest_version) values ($1, $2, 'active', 0)
    on conflict (org_id, name) do update set status = workflows.status returning latest_version`,
};
const ADD_VERSION = {
  name: "add version",
  text: `insert into workflow_versions (org_id, name, version, hash, format, saved_at, saved_by)
    values ($1, $2, $3, $4, $5, $6, $7)`,
};
const SET_LATEST = {
  name: "set latest version",
  text: "update workflows set latest_version = $3 where org_id = $1 and name = $2",
};

/** A version if the text is new, and settings; true when either changed. */
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
  const { name, hash, format, savedAt, savedBy, source, catalog } = saving;
  const [held] = await sql.query<{ latest_version: number }>(HOLD, [orgId, name]);
  const { latest_version: latest } = required(held, "a held workflow has a row");
  const [newest] = await sql.query<VersionRow>(GET_VERSION, [orgId, name, latest]);
  if (newest?.hash === hash) return { version: versionOf(newest), isNew: false };
  const version = latest + 1;
  await sql.query(PUT_DEFINITION, [orgId, hash, source, catalogText(catalog)]);
  await sql.query(ADD_VERSION, [orgId, name, version, hash, format, savedAt, savedBy]);
  await sql.query(SET_LATEST, [orgId, name, version]);
  const [added] = await sql.query<VersionRow>(GET_VERSION, [orgId, name, version]);
  return { version: versionOf(required(added, "a version just added is found")), isNew: true };
}

function versionOf({ name, version, hash, format, saved_at, source, catalog }: VersionRow): WorkflowVersion {
  return { name, version, hash, format, savedAt: saved_at, source, catalog: catalogOf(catalog) };
}

function catalogOf(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}

function catalogText(catalog: JsonObject | null): string | null {
  return catalog === null ? null : JSON.stringify(catalog);
}

function recordOf({ name, status, posture, exposed, version, hash, format, saved_at }: WorkflowRow): WorkflowRecord {
  return { name, status, posture, isExposed: exposed, latest: { name, version, hash, format, savedAt: saved_at } };
}

async function list(sql: Sql, orgId: string, page: Page): Promise<Listed<WorkflowRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await sql.query<WorkflowRow>(LIST, [orgId, after?.id ?? null, page.limit + 1]);
  return listed(rows.map(recordOf), page.limit, ({ name }) => ({ at: 0, id: name }));
}
