import type { JsonObject } from "../core/base/index.ts";
import { argsSchema } from "../core/outputs/index.ts";
import { pinnedVersion, pinsOfJson, type Plan, refText } from "../core/plan/index.ts";
import type { StartChild } from "../core/engine/index.ts";
import { type ChildPreparer, type Launch, launchOfChild, type PreparedChild, type Runtime } from "../driver/index.ts";
import type { Governor } from "../governance/index.ts";
import type { RunRecord, Store, WorkflowRecord } from "../store/index.ts";
import { launchFacts } from "./launch-facts.ts";
import { keepPinned } from "./pinning.ts";
import { argsFor } from "./run-launcher.ts";

export interface ChildPreparerOptions {
  readonly store: Store;
  readonly runtime: () => Pick<Runtime, "planOf">;
  /** Null when no launch gates apply. */
  readonly governor: Pick<Governor, "launches"> | null;
  readonly now: () => number;
}

/**
 * Prepares launches of child runs: with the version pinned for the first run of the family, the args from the parent,
 * and the launch gates under the same caller. A child run has the same permissions as its parent, and no others.
 */
export function openChildPreparer(options: ChildPreparerOptions): ChildPreparer {
  return {
    argsOf: async (parent, workflow) => {
      const found = await versionOf(options, parent, { workflow });
      const plan = found && (await options.runtime().planOf(parent.orgId, found.pinnedHash ?? found.hash));
      return plan === undefined ? null : argsSchema(plan.args);
    },
    prepare: async (parent, wanted) => {
      const name = refText(wanted.workflow);
      const found = await versionOf(options, parent, wanted);
      if (found === undefined) return refused(`there is no workflow "${name}" among what was pinned for the run`);
      const { orgId } = parent;
      const plan = await options.runtime().planOf(orgId, found.pinnedHash ?? found.hash);
      if (plan === undefined) return refused(`the workflow "${name}" can no longer be compiled`);
      const args = argsFor(plan, { ...declaredOf(plan, wanted.offered ?? {}), ...wanted.args });
      if (!args.ok) return refused(`the args do not fit the workflow "${name}": ${args.refusal.message}`);
      const launch = launchOfChild(parent, wanted, found, args.args);
      return (await refusedCaller(options, parent)) ?? (await refusedLaunch(options, launch)) ?? launched(launch);
    },
  };
}

function declaredOf({ args }: Plan, offered: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(offered).filter(([name]) => Object.hasOwn(args, name)));
}

interface Found {
  readonly version: number;
  readonly hash: string;
  readonly pinnedHash: string | null;
}

async function versionOf(
  { store }: ChildPreparerOptions,
  { orgId, pinnedHash }: RunRecord,
  { workflow }: Pick<StartChild, "workflow">,
): Promise<Found | undefined> {
  const kept = pinnedHash === null ? undefined : await store.getDefinition(orgId, pinnedHash);
  const pins = pinsOfJson(kept?.catalog ?? null);
  const version = pinnedVersion(pins, workflow);
  if (version === undefined) return undefined;
  const text = await store.getDefinition(orgId, version.hash);
  if (text === undefined) return undefined;
  return { ...version, pinnedHash: await keepPinned(store, orgId, { source: text.source, hash: version.hash }, pins) };
}

/** Refuses the launch when the parent's starter may no longer start runs. */
async function refusedCaller({ store, now }: ChildPreparerOptions, { orgId, startedBy }: RunRecord) {
  const key = startedBy === null ? undefined : await store.getKey(orgId, startedBy);
  if (key === undefined) return undefined;
  const isOver = key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now());
  if (isOver) return refused(`the key "${key.label}", which started the parent, is no longer valid`);
  return key.permissions.includes("workflow:execute")
    ? undefined
    : refused(`the key "${key.label}", which started the parent, may not start runs`);
}

async function refusedLaunch({ store, governor }: ChildPreparerOptions, launch: Launch) {
  if (governor === null) return undefined;
  const { orgId, workflow, args, gateway = null, team = null } = launch;
  const record = await store.getWorkflow(orgId, workflow);
  const depth = launch.parent?.recursionDepth ?? 0;
  const facts = launchFacts({ workflow, args, gateway, team, depth }, await heldOrAsIs(store, orgId, record));
  // The approval for the first run of a family is valid for the whole family.
  const judgement = await governor.launches.judge(orgId, { ...facts, hasApprovedLaunch: true, keyId: null });
  return judgement.disposition === "block" ? refused(judgement.explanation.message) : undefined;
}

/** A pause of a workflow holds its child runs until it is resumed, and must not fail the runs that need them. */
async function heldOrAsIs(
  store: Store,
  orgId: string,
  record: WorkflowRecord | undefined,
): Promise<WorkflowRecord | undefined> {
  if (record?.status !== "paused" || !(await store.pausesOf(orgId)).has(record.name)) return record;
  return { ...record, status: "active" };
}

function refused(message: string): PreparedChild {
  return { kind: "refused", message };
}

function launched(launch: Launch): PreparedChild {
  return { kind: "launch", launch };
}
