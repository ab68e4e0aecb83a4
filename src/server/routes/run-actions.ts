import type { z } from "zod";
import {
  branchBody,
  branchPreviewBody,
  branchPreviewSchema,
  reasonBody,
  relaunchedSchema,
  resolveBody,
  restartBody,
  rewindBody,
  runSchema,
  type branchPointSchema,
  type NodeEdits,
} from "../../contract/index.ts";
import type { Json } from "../../core/base/index.ts";
import type { TurnEdit, UnstampedInput } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import type { BranchFrom, Relauncher } from "../../launch/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { BODY_BYTES_MAX, type BodyRule, JSON_TYPE } from "../body.ts";
import { callerOf } from "../auth.ts";
import { type BlockOwner, ownerOf } from "../block-owner.ts";
import { idempotencyOf } from "../idempotency.ts";
import { refusedLaunch, relaunchedRun } from "../launch-reply.ts";
import { Refused, refusedBy } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { runOnWire } from "../wire.ts";
import { requireAssignable } from "./require-agent.ts";
import { requireRun, type RunCall, unknownRun } from "./runs.ts";

const small = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE] } as const satisfies Partial<BodyRule>;
const now = { 200: { description: "The changed run", schema: runSchema } };
const another = {
  200: { description: "The run that the same request started before", schema: relaunchedSchema },
  201: {
    description: "The new run, with the nodes that are carried over and those that run again",
    schema: relaunchedSchema,
  },
};

export const runActionRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/cancel",
    operation: "runs.cancel",
    summary: "Cancels a run: nothing more is dispatched, and open work is cancelled.",
    permission: "run:cancel",
    body: { schema: reasonBody, ...small, isOptional: true },
    replies: now,
    handle: async (call) => {
      const { run } = await requireOwner(call);
      const reason = call.body.reason ?? "cancelled on request";
      return submitTo(call, { type: "cancel", reason, by: call.principal.label }, run.runId);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/restart",
    operation: "runs.restart",
    summary:
      "Starts a new run that keeps completed results and repeats the rest, or repeats everything from one node on.",
    permission: "workflow:execute",
    body: { schema: restartBody, ...small, isOptional: true },
    replies: another,
    handle: restart,
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/rewind",
    operation: "runs.rewind",
    summary: "Rewinds a run to an event. Nodes that settled later run again.",
    permission: "workflow:execute",
    body: { schema: rewindBody, ...small, isOptional: false },
    replies: now,
    handle: async (call) => {
      const { run, eventId } = await requireOwner(call);
      // A finished child has reported its result to its parent, which may have used it.
      const isConsumed = run.parentRunId !== null && isTerminal(run.status);
      return submitTo(call, { type: "rewind", eventId: eventId ?? call.body.eventId, isConsumed }, run.runId);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/branch",
    operation: "runs.branch",
    summary:
      "Starts a new run from an event of this one. The changes may be other args, outputs of other runs as args, other prompts or " +
      "outputs of nodes, or a round inside the turn of a node with another text or result. The new run keeps what had settled; " +
      "nodes whose inputs change, and all nodes that depend on them, run again.",
    permission: "workflow:execute",
    body: { schema: branchBody, ...small, isOptional: false },
    replies: another,
    handle: branch,
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/branch/preview",
    operation: "runs.previewBranch",
    summary:
      "Shows which results a branch from an event would keep, and which nodes it would run again. Starts nothing.",
    permission: "run:read",
    body: { schema: branchPreviewBody, ...small, isOptional: false },
    replies: { 200: { description: "The kept results and the nodes that run again", schema: branchPreviewSchema } },
    handle: previewBranch,
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/recover",
    operation: "runs.recover",
    summary: "Reopens a failed or timed out run and repeats what failed.",
    permission: "workflow:execute",
    body: { schema: reasonBody, ...small, isOptional: true },
    replies: now,
    handle: async (call) => {
      const { run } = await requireOwner(call);
      // A run that has not ended is refused by the engine, with a more precise reason than any gate has.
      if (isTerminal(run.status)) await requireRecovery(call, run);
      const why = call.body.reason === undefined ? {} : { reason: call.body.reason };
      return submitTo(call, { type: "recover", ...why }, run.runId);
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/nodes/{nodeId}/resolve",
    operation: "runs.resolve",
    summary: "Unblocks a node that waits for values or for an assignment.",
    permission: "workflow:execute",
    body: { schema: resolveBody, ...small, isOptional: false },
    replies: now,
    handle: async (call) => {
      const { assignTo, values } = call.body;
      if (assignTo !== undefined) await requireAssignable(call, await requireRun(call), assignTo);
      return submitTo(call, {
        type: "resolve",
        nodeId: call.params["nodeId"] ?? "",
        by: call.principal.label,
        ...(values === undefined ? {} : { values }),
        ...(assignTo === undefined ? {} : { assignTo }),
      });
    },
  }),
];

/** Submits an input to a run, and replies with the run after that input. */
async function submitTo(
  { services, principal, params }: RunCall,
  input: UnstampedInput,
  runId = params["runId"] ?? "",
): Promise<Response> {
  const outcome = await services.runtime.submit(principal.orgId, runId, input);
  if (outcome === undefined) throw unknownRun(runId);
  if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  return json(runOnWire(outcome.run));
}

/** Returns the run that contains a block: a block cannot be changed separately. Refuses runs that were erased. */
async function requireOwner(call: RunCall): Promise<BlockOwner> {
  const run = await requireRun(call);
  if (isTerminal(run.status) && (await call.services.store.getErasure(run.orgId, run.runId)) !== undefined) {
    throw new Refused("run_erased", `The content of the run "${run.runId}" was erased, so that it cannot continue.`);
  }
  return ownerOf(call.services.store, run);
}

/** A recovered run does new work, so the launch gates check it. */
async function requireRecovery({ services, principal }: RunCall, run: RunRecord): Promise<void> {
  const refusal = await services.relauncher.refuseRecovery(run, callerOf(principal));
  if (refusal !== null) throw refusedLaunch(refusal, services.config.now());
}

async function restart(call: Call<z.output<typeof restartBody>, undefined>): Promise<Response> {
  const { run } = await requireOwner(call);
  const { fromNode } = call.body;
  const asked = { restart: run.runId, fromNode: fromNode ?? null };
  return relaunch(call, run, { kind: "restart", ...(fromNode === undefined ? {} : { fromNode }) }, asked);
}

async function branch(call: Call<z.output<typeof branchBody>, undefined>): Promise<Response> {
  const { run, eventId: before } = await requireOwner(call);
  const { args, inputsFrom = {}, prompts, outputs, turn } = call.body;
  if (turn !== undefined) return branchInTurn(call, turn, run, before !== null);
  const eventId = before ?? call.body.eventId ?? run.lastEventId;
  const taken = Object.keys(inputsFrom).length === 0 ? {} : { inputsFrom };
  const edits = editsOf({ prompts, outputs });
  refuseInBlock(run, before !== null, edits);
  const asked = { branch: run.runId, eventId, args: args ?? null, ...taken, ...edits };
  const from = { kind: "branch", eventId, ...(args === undefined ? {} : { args }), ...taken, edits } as const;
  return relaunch(call, run, from, asked);
}

async function previewBranch(call: Call<z.output<typeof branchPreviewBody>, undefined>): Promise<Response> {
  const { run, eventId: before } = await requireOwner(call);
  const { eventId, args = {}, inputsFrom = {}, prompts, outputs } = call.body;
  const { services } = call;
  const edits = editsOf({ prompts, outputs });
  refuseInBlock(run, before !== null, edits);
  const from = { kind: "branch", eventId: before ?? eventId, args, inputsFrom, edits } as const;
  const kept = await services.relauncher.previewBranch(run, from);
  if ("refusal" in kept) throw refusedLaunch(kept.refusal, services.config.now());
  return json(kept);
}

function editsOf({ prompts, outputs }: NodeEdits): NonNullable<BranchFrom["edits"]> {
  return { ...(prompts === undefined ? {} : { prompts }), ...(outputs === undefined ? {} : { outputs }) };
}

/** Refuses edits of a block, because edits name nodes of the run that contains it. */
function refuseInBlock({ runId }: RunRecord, isOfBlock: boolean, edits: NodeEdits): void {
  if (!isOfBlock || Object.keys(edits).length === 0) return;
  const detail = `A block continues only as a whole, so that nothing in it can be edited: branch run "${runId}".`;
  throw new Refused("node_not_kept", detail);
}

async function branchInTurn(
  call: RunCall,
  { node: nodeId, round, edit, prompt }: z.output<typeof branchPointSchema>,
  run: RunRecord,
  isOfBlock: boolean,
): Promise<Response> {
  if (isOfBlock) {
    const detail = `"${nodeId}" is a step of a block, which continues only as a whole: branch run "${run.runId}" from an event.`;
    throw new Refused("turn_not_kept", detail);
  }
  const text = prompt === undefined ? {} : { prompt };
  const asked = { branch: run.runId, turn: { node: nodeId, round, edit: (edit ?? null) as Json, ...text } };
  const from = {
    kind: "branch",
    turn: { nodeId, round, ...(edit === undefined ? {} : { edit: editOf(edit) }), ...text },
  } as const;
  return relaunch(call, run, from, asked);
}

function editOf(edit: NonNullable<z.output<typeof branchPointSchema>["edit"]>): TurnEdit {
  if ("message" in edit) return edit;
  const { callId, result, isError = false } = edit;
  return { callId, result, isError };
}

/** `asked` is the content to which the idempotency key is bound. */
async function relaunch(
  call: RunCall,
  run: RunRecord,
  from: Parameters<Relauncher["relaunch"]>[0]["from"],
  asked: Json,
): Promise<Response> {
  const { services, principal } = call;
  const idempotency = idempotencyOf(call, run.workflow, asked);
  const result = await services.relauncher.relaunch({
    run,
    from,
    ...callerOf(principal),
    ...(idempotency === null ? {} : { idempotency }),
  });
  return relaunchedRun(services, result);
}
