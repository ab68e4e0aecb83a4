import { randomUUID } from "node:crypto";
import type { z } from "zod";
import {
  listOf,
  pageQuery,
  sampleBody,
  triggerAnswerSchema,
  type TriggerDelivery,
  triggerDeliverySchema,
  type TriggerTest,
  triggerTestSchema,
} from "../../contract/index.ts";
import type { Json } from "../../core/base/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { argsFor } from "../../launch/index.ts";
import { type Delivered, scheduleOf, type Trigger, triggerOf } from "../../registry/index.ts";
import type { TriggerDeliveryRecord } from "../../store/index.ts";
import { deliveriesOf, evaluateTrigger } from "../../outside/trigger/index.ts";
import { callerOf } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { idempotencyOf } from "../idempotency.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { answerDelivery } from "../trigger-answer.ts";
import { listOnWire } from "../wire.ts";

const sample = { schema: sampleBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: true };
const answers = {
  200: { description: "The run that the same request started before", schema: triggerAnswerSchema },
  202: { description: "The started run, or the result that the filter was not true", schema: triggerAnswerSchema },
};

export const triggerRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/test",
    operation: "triggers.test",
    summary: "Evaluates filter and args of a trigger for a sample. Starts nothing.",
    permission: "governance:read",
    body: sample,
    replies: { 200: { description: "Result of the evaluation", schema: triggerTestSchema } },
    handle: testTrigger,
  }),
  defineRoute({
    method: "POST",
    path: "/triggers/{id}/fire",
    operation: "triggers.fire",
    summary: "Delivers a sample to a trigger, even if it is disabled. An Idempotency-Key is the id of the delivery.",
    permission: "workflow:execute",
    body: sample,
    replies: answers,
    handle: async (call) => fire(call, await requireTrigger(call)),
  }),
  defineRoute({
    method: "POST",
    path: "/schedules/{id}/run-now",
    operation: "schedules.run-now",
    summary: "Starts a run of the schedule now, in addition to its slots and even if it is disabled.",
    permission: "workflow:execute",
    replies: answers,
    handle: async (call) => {
      const { services, principal, params } = call;
      const { id = "" } = params;
      const entry = await services.store.getEntry(principal.orgId, "schedule", id);
      if (entry === undefined) throw new Refused("unknown_schedule", `There is no schedule "${id}".`);
      return fire({ ...call, body: {} }, scheduleOf(entry));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/triggers/{id}/deliveries",
    operation: "triggers.deliveries",
    summary: "Lists the deliveries of a trigger, newest first, for at least the last two days.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(triggerDeliverySchema) } },
    handle: async (call) => {
      const { services, principal, query } = call;
      const trigger = await requireTrigger(call);
      const { orgId } = principal;
      const page = await services.store.listTriggerDeliveries(orgId, deliveriesOf(trigger), pageOf(query));
      return json(listOnWire(page, deliveryOnWire));
    },
  }),
];

type AnyCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params" | "request">;
type SampleCall = AnyCall & { readonly body: z.output<typeof sampleBody> };

async function requireTrigger({ services, principal, params }: AnyCall): Promise<Trigger> {
  const { id = "" } = params;
  const entry = await services.store.getEntry(principal.orgId, "trigger", id);
  if (entry === undefined) throw new Refused("unknown_trigger", `There is no trigger "${id}".`);
  return triggerOf(entry);
}

function deliveredIn({ body = {}, headers = {}, query = {} }: z.output<typeof sampleBody>): Delivered {
  const lower = Object.entries(headers).flatMap(([name, value]): [string, Json][] => {
    const key = name.toLowerCase();
    return [
      [key.replaceAll("-", "_"), value],
      [key, value],
    ];
  });
  return { body, headers: Object.fromEntries(lower), query };
}

async function testTrigger(call: SampleCall): Promise<Response> {
  const { services, principal } = call;
  const trigger = await requireTrigger(call);
  const record = await services.store.getWorkflow(principal.orgId, trigger.workflow);
  const plan = record === undefined ? undefined : await services.runtime.planOf(principal.orgId, record.latest.hash);
  const evaluated = evaluateTrigger(trigger, deliveredIn(call.body), plan?.args ?? {});
  return json(testOf());

  function testOf(): TriggerTest {
    const filter = trigger.filter === null ? null : evaluated.kind !== "filtered";
    if (evaluated.kind === "filtered") return { starts: false, filter, args: null, problems: [] };
    if (evaluated.kind === "failed") {
      const { code, message } = evaluated;
      return { starts: false, filter: null, args: null, problems: [{ code, message, path: "filter" }] };
    }
    const { args } = evaluated;
    if (plan === undefined) {
      const message = `There is no workflow "${trigger.workflow}".`;
      return { starts: false, filter, args, problems: [{ code: "unknown_workflow", message, path: "workflow" }] };
    }
    const fitting = argsFor(plan, args);
    if (!fitting.ok) return { starts: false, filter, args, problems: fitting.refusal.problems.map(sentProblem) };
    return { starts: true, filter, args: fitting.args, problems: [] };
  }
}

function sentProblem({ code, message, path, hint }: { code: string; message: string; path: string; hint?: string }) {
  return { code, message, path, ...(hint === undefined ? {} : { hint }) };
}

/** Fires a trigger on behalf of the caller: the person who fires it counts as the requester of the run. */
async function fire(call: SampleCall, trigger: Trigger): Promise<Response> {
  const { services, principal, body } = call;
  const key = idempotencyOf(call, trigger.workflow, body as Json)?.key;
  const result = await services.triggers.start({
    orgId: principal.orgId,
    trigger,
    delivered: deliveredIn(body),
    deliveryId: key === undefined ? `fire_${randomUUID()}` : `fire_${key}`.slice(0, 255),
    caller: callerOf(principal),
  });
  return answerDelivery(services, principal.orgId, { ...trigger, respond: "accepted" }, result);
}

function deliveryOnWire({
  deliveryId,
  state,
  runId,
  code,
  reason,
  receivedAt,
}: TriggerDeliveryRecord): TriggerDelivery {
  return { id: deliveryId, state, runId, code, reason, receivedAt: isoFromEpochMs(receivedAt) };
}
