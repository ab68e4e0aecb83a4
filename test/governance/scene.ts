import { NEW_SPEC, type GatewayView } from "../../src/gateway/index.ts";
import type { AboutRun, Changes } from "../../src/governance/judge.ts";
import type { Registered } from "../../src/governance/registered.ts";

/** A gateway of this process that answers as two providers. */
export const LOCAL: GatewayView = {
  ...NEW_SPEC,
  orgId: "default",
  id: "local",
  environment: "test",
  providers: ["scripted", "openai"],
  defaultProvider: "scripted",
  status: "healthy",
  instanceId: null,
  seenAt: null,
  isLocal: true,
  isAwaited: false,
  callbackBase: null,
  models: {},
  secrets: {},
  answersAny: false,
};

/** Nothing is registered. */
export const NOTHING_REGISTERED: Registered = {
  agents: new Map(),
  policies: [],
  budgets: [],
  models: new Map(),
  creditPlans: [],
  tools: [],
  grants: new Map(),
  deployments: [],
  bindings: [],
  platform: { isOpen: true, reason: null },
  pauses: new Map(),
};

/** A run of the workflow `w` that has begun. */
export function aboutRun(parts: Pick<AboutRun, "plan" | "at"> & Partial<AboutRun>): AboutRun {
  return {
    orgId: "default",
    runId: "run_1",
    workflow: "w",
    depth: 0,
    gateway: null,
    model: null,
    roleBindings: {},
    args: {},
    isBegun: true,
    nextEventId: 1,
    ...parts,
  };
}

/** What a commit of `run_1` changed: nothing but this. */
export function changesOf(parts: Partial<Changes>): Changes {
  return { runId: "run_1", ended: [], settled: [], taken: [], slots: [], ledger: [], memories: [], ...parts };
}
