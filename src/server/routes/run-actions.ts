import type { z } from "zod";
import {
  branchBody,
  type InputsFrom,
  reasonBody,
  relaunchedSchema,
  resolveBody,
  restartBody,
  rewindBody,
  runSchema,
} from "../../contract/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { findNode, type UnstampedInput } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { Launch, LaunchOutcome } from "../../driver/index.ts";
import type { LaunchRuling } from "../../governance/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { BODY_BYTES_MAX, type BodyRule, JSON_TYPE } from "../body.ts";
import { findRepeated, type Idempotency, idempotencyOf } from "../idempotency.ts";
import { takeInputs } from "../inputs-from.ts";
import { requireLaunch } from "../launch-gates.ts";
import { Refused, refusedBy } from "../problem.ts";
import { relaunched } from "../relaunched.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { runOnWire } from "../wire.ts";
import { requireArgs, requireRun, type RunCall, unknownRun } from "./runs.ts";

const small = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE] } as const satisfies Partial<BodyRule>;
const now = { 200: { description: "The run as it is now", schema: runSchema } };
const another = {
  200: { description: "The run this request has started before", schema: relaunchedSchema },
  201: { description: "The new run, with what it carries over and what runs again", schema: relaunchedSchema },
};

export const runActionRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/cancel",
    operation: "runs.cancel",
    summary: "Cancels a run: nothing more is dispatched, what is in flight is called off.",
    permission: "run:cancel",
    body: { schema: reasonBody, ...small, isOptional: true },
    replies: now,
    handle: (call) =>
      tellRun(call, { type: "cancel", reason: call.body.reason ?? "cancelled on request", by: call.principal.label }),
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/restart",
    operation: "runs.restart",
    summary: "Starts a new run that keeps what completed and does the rest again, or from a node on.",
    permission: "workflow:execute",
    body: { schema: restartBody, ...small, isOptional: true },
    replies: another,
    handle: restart,
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/rewind",
    operation: "runs.rewind",
    summary: "Takes a run back to an event: what settled later runs again.",
    permission: "workflow:execute",
    body: { schema: rewindBody, ...small, isOptional: false },
    replies: now,
    handle: async (call) => {
      const run = await requireRun(call);
      // A finished child has told its parent, which may have gone on with the result.
      const isConsumed = run.parentRunId !== null && isTerminal(run.status);
      return tellRun(call, { type: "rewind", eventId: call.body.eventId, isConsumed });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/branch",
    operation: "runs.branch",
    summary:
      "Starts a new run from an event of this one, with other args or with outputs of other runs as args. It keeps what had settled; nodes whose inputs change, and all that depends on them, run again.",
    permission: "workflow:execute",
    body: { schema: branchBody, ...small, isOptional: false },
    replies: another,
    handle: branch,
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/recover",
    operation: "runs.recover",
    summary: "Opens a failed or timed out run again and does what failed once more.",
    permission: "workflow:execute",
    body: { schema: reasonBody, ...small, isOptional: true },
    replies: now,
    handle: async (call) => {
      const run = await requireRun(call);
      // A run that goes on anyway is refused by itself, for a better reason than any gate has.
      if (isTerminal(run.status)) await requireAgain(call, run, run.args, "recovery");
      return tellRun(call, {
        type: "recover",
        ...(call.body.reason === undefined ? {} : { reason: call.body.reason }),
      });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/nodes/{nodeId}/resolve",
    operation: "runs.resolve",
    summary: "Unblocks a node that waits for values or for somebody to take it.",
    permission: "workflow:execute",
    body: { schema: resolveBody, ...small, isOptional: false },
    replies: now,
    handle: (call) => {
      const { assignTo, values } = call.body;
      return tellRun(call, {
        type: "resolve",
        nodeId: call.params["nodeId"] ?? "",
        by: call.principal.label,
        ...(values === undefined ? {} : { values }),
        ...(assignTo === undefined ? {} : { assignTo }),
      });
    },
  }),
];

/** Tells a run something and shows what became of it. */
async function tellRun({ services, principal, params }: RunCall, input: UnstampedInput): Promise<Response> {
  const { runId = "" } = params;
  const outcome = await services.runtime.submit(principal.orgId, runId, input);
  if (outcome === undefined) throw unknownRun(runId);
  if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  return json(runOnWire(outcome.run));
}

async function restart(call: Call<z.output<typeof restartBody>, undefined>): Promise<Response> {
  const run = await requireRun(call);
  const { fromNode } = call.body;
  const idempotency = idempotencyOf(call, run.workflow, { restart: run.runId, fromNode: fromNode ?? null });
  const before = await findRepeated(call, idempotency);
  if (before !== undefined) return relaunched(call.services, { kind: "repeated", run: before });
  if (!isTerminal(run.status)) {
    throw new Refused("run_not_finished", `The run is ${run.status}; cancel it first, or rewind it.`);
  }
  if (fromNode !== undefined) await requireNodeOf(call, run, fromNode);
  const again = { ...run, ...(await namedFor(call, run)) };
  const ruling = await requireAgain(call, again, run.args, "restart");
  const source = { runId: run.runId, kind: "restart", ...(fromNode === undefined ? {} : { fromNode }) } as const;
  const outcome = await relaunch(call, again, ruling, { args: run.args, trigger: "restart", source, idempotency });
  return relaunched(call.services, outcome);
}

async function branch(call: Call<z.output<typeof branchBody>, undefined>): Promise<Response> {
  const run = await requireRun(call);
  const { eventId, args, inputsFrom = {} } = call.body;
  const taken = Object.keys(inputsFrom).length === 0 ? {} : { inputsFrom };
  const asked: Json = { branch: run.runId, eventId, args: args ?? null, ...taken };
  const idempotency = idempotencyOf(call, run.workflow, asked);
  const before = await findRepeated(call, idempotency);
  if (before !== undefined) return relaunched(call.services, { kind: "repeated", run: before });
  if (eventId > run.lastEventId) {
    throw refusedBy({
      code: "cursor_ahead",
      message: `event ${eventId} is not in the log, which ends at ${run.lastEventId}`,
    });
  }
  const plan = await call.services.runtime.planOf(run.orgId, run.pinnedHash ?? run.definitionHash);
  const merged = { ...run.args, ...args, ...(await takeInputs(call, inputsFrom, args ?? {})) };
  const checked = plan === undefined ? merged : requireArgs(plan, merged);
  const again = { ...run, ...(await namedFor(call, run)) };
  const ruling = await requireAgain(call, again, checked, "branch");
  const source = { runId: run.runId, kind: "branch", eventId } as const;
  const wanted = { args: checked, trigger: "branch", source, ...taken, idempotency } as const;
  return relaunched(call.services, await relaunch(call, again, ruling, wanted));
}

/**
 * What whoever started a run had named; what deployments and bindings gave it then is found anew, since another run of it
 * is a new run.
 */
async function namedFor(
  { services, principal }: RunCall,
  run: RunRecord,
): Promise<Pick<RunRecord, "gateway" | "roleBindings">> {
  const view = await services.runtime.stateOf(principal.orgId, run.runId);
  const placement = view?.state.placement ?? null;
  const { gateway = null, roleBindings = {} } = placement === null ? run : (placement.named ?? {});
  return { gateway, roleBindings };
}

/** New work passes the launch gates, however it comes to be. */
async function requireAgain(call: RunCall, run: RunRecord, args: JsonObject, what: string): Promise<LaunchRuling> {
  const { workflow, version, gateway, model, roleBindings, team, recursionDepth: depth } = run;
  const record = (await call.services.store.getWorkflow(run.orgId, workflow)) ?? null;
  const purpose = `${what} of ${run.runId}`;
  return requireLaunch(call, { workflow, record, version, args, gateway, model, roleBindings, team, depth, purpose });
}

async function requireNodeOf({ services, principal }: RunCall, run: RunRecord, nodeId: string): Promise<void> {
  const view = await services.runtime.stateOf(principal.orgId, run.runId);
  if (view !== undefined && findNode(view.state, nodeId) !== undefined) return;
  throw new Refused("unknown_node", `The run has no node "${nodeId}".`, { status: 422 });
}

type Again = Pick<Launch, "args" | "trigger"> & {
  readonly source: NonNullable<Launch["source"]>;
  readonly inputsFrom?: InputsFrom;
  readonly idempotency: Idempotency | null;
};

/** What was granted for the launch is given back when there is none. */
async function relaunch(
  { services, principal }: RunCall,
  run: RunRecord,
  ruling: LaunchRuling,
  again: Again,
): Promise<LaunchOutcome> {
  const { idempotency, ...rest } = again;
  const launching = services.runtime.launch({
    orgId: run.orgId,
    workflow: run.workflow,
    version: run.version,
    definitionHash: run.definitionHash,
    pinnedHash: run.pinnedHash,
    startedBy: principal.keyId,
    model: run.model,
    gateway: run.gateway,
    roleBindings: run.roleBindings,
    team: run.team,
    recoveryMax: run.recoveryMax,
    ...rest,
    ...(idempotency === null ? {} : { idempotency }),
  });
  const outcome = await launching.catch(async (error: unknown) => {
    await ruling.giveBack();
    throw error;
  });
  if (outcome.kind !== "started") await ruling.giveBack();
  return outcome;
}
