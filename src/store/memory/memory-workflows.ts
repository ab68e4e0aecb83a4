import { compareCodeUnits, required, sameJson } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { NEW_WORKFLOW_SETTINGS, type RegistryChange } from "../registry-store.ts";
import type { WorkflowRecord, WorkflowSaving, WorkflowStore, WorkflowVersion } from "../store.ts";
import { raiseConfig } from "./memory-config.ts";
import { copy, keyOf, type MemoryWorkflow, type MemoryWorld } from "./memory-world.ts";

type Settings = Extract<RegistryChange, { change: "workflow" }>["settings"];

export function memoryWorkflows(world: MemoryWorld): WorkflowStore {
  return {
    saveWorkflow: async (orgId, saving) => save(world, orgId, saving),
    getWorkflow: async (orgId, name) => {
      const workflow = world.workflows.get(keyOf(orgId, name));
      return workflow === undefined ? undefined : recordOf(workflow);
    },
    listWorkflows: async (orgId, page) => {
      const after = decodeCursor(page.cursor);
      const rows = [...world.workflows.values()]
        .filter((workflow) => workflow.orgId === orgId && (after === null || workflow.name > after.id))
        .sort((left, right) => compareCodeUnits(left.name, right.name));
      return listed(rows.map(recordOf), page.limit, ({ name }) => ({ at: 0, id: name }));
    },
    getVersion: async (orgId, name, version) => {
      const found = world.workflows.get(keyOf(orgId, name))?.versions[version - 1];
      return found === undefined ? undefined : copy(found);
    },
    setWorkflowStatus: async (orgId, name, status) => {
      const workflow = world.workflows.get(keyOf(orgId, name));
      if (workflow === undefined) return false;
      workflow.status = status;
      raiseConfig(world, orgId);
      return true;
    },
    getDefinition: async (orgId, hash) => {
      const found = world.definitions.get(keyOf(orgId, hash));
      return found === undefined ? undefined : copy(found);
    },
    putDefinition: async (orgId, hash, { source, catalog }) => {
      const key = keyOf(orgId, hash);
      if (!world.definitions.has(key)) world.definitions.set(key, copy({ source, catalog }));
    },
  };
}

/** Saves settings, and a version if the text is new. Returns true when either changed. */
export function putWorkflow(world: MemoryWorld, orgId: string, saving: WorkflowSaving, settings: Settings): boolean {
  const { isNew } = save(world, orgId, saving);
  const workflow = required(world.workflows.get(keyOf(orgId, saving.name)), "a workflow just saved is there");
  const { status = workflow.status, ...rest } = settings;
  const next = { ...workflow.settings, ...rest };
  const isMoved = status !== workflow.status || !sameJson({ ...next }, { ...workflow.settings });
  workflow.status = status;
  workflow.settings = next;
  return isNew || isMoved;
}

function save(
  world: MemoryWorld,
  orgId: string,
  { savedBy: _savedBy, ...saving }: WorkflowSaving,
): { readonly version: WorkflowVersion; readonly isNew: boolean } {
  const { name, hash, origin, source, catalog } = saving;
  const key = keyOf(orgId, name);
  const workflow = world.workflows.get(key) ?? {
    orgId,
    name,
    versions: [],
    status: "active",
    settings: NEW_WORKFLOW_SETTINGS,
  };
  const newest = workflow.versions.at(-1);
  if (newest?.hash === hash && newest.origin === origin) return { version: copy(newest), isNew: false };
  const version = copy({ ...saving, version: workflow.versions.length + 1 });
  workflow.versions.push(version);
  world.workflows.set(key, workflow);
  const definition = keyOf(orgId, hash);
  if (!world.definitions.has(definition)) world.definitions.set(definition, copy({ source, catalog }));
  return { version: copy(version), isNew: true };
}

function recordOf({ name, status, settings, versions }: MemoryWorkflow): WorkflowRecord {
  const { source: _source, catalog: _catalog, ...latest } = required(versions.at(-1), "a workflow has a version");
  return { name, status, ...settings, latest };
}
