import { compareCodeUnits, required } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { WorkflowRecord, WorkflowSaving, WorkflowStore, WorkflowVersion } from "../store.ts";
import { copy, keyOf, type MemoryWorkflow, type MemoryWorld } from "./memory-world.ts";

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
      if (workflow !== undefined) workflow.status = status;
      return workflow !== undefined;
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

function save(
  world: MemoryWorld,
  orgId: string,
  { name, hash, format, savedAt, source, catalog }: WorkflowSaving,
): { readonly version: WorkflowVersion; readonly isNew: boolean } {
  const key = keyOf(orgId, name);
  const workflow = world.workflows.get(key) ?? { orgId, name, versions: [], status: "active" };
  const newest = workflow.versions.at(-1);
  if (newest?.hash === hash) return { version: copy(newest), isNew: false };
  const version = copy({ name, version: workflow.versions.length + 1, hash, format, savedAt, source, catalog });
  workflow.versions.push(version);
  world.workflows.set(key, workflow);
  const definition = keyOf(orgId, hash);
  if (!world.definitions.has(definition)) world.definitions.set(definition, copy({ source, catalog }));
  return { version: copy(version), isNew: true };
}

function recordOf({ name, status, versions }: MemoryWorkflow): WorkflowRecord {
  const { version, hash, format, savedAt } = required(versions.at(-1), "a workflow has a version");
  return { name, status, latest: { name, version, hash, format, savedAt } };
}
