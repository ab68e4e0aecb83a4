import type { z } from "zod";
import {
  claimBody,
  claimReply,
  completeBody,
  completeReply,
  heartbeatBody,
  heartbeatReply,
  WORK_PROTOCOL,
  type WorkResult,
} from "../../contract/index.ts";
import { compareCodeUnits } from "../../core/base/index.ts";
import { dispatchIdOf, readDispatchId } from "../../core/event/index.ts";
import type { WorkKey } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { reportOfWork } from "../work-report.ts";

const RESULTS_BYTES_MAX = 16 * 1_048_576;
const PERMISSION = "workflow:execute";

/** Routes by which workers claim work, hold it and complete it. Workers connect to the server and have no address. */
export const workRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/api/v2/work/claim",
    operation: "work.claim",
    summary: "Claims work for a worker, and waits for some time when there is none.",
    permission: PERMISSION,
    body: { schema: claimBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "The claimed work, which the worker holds for 15 s", schema: claimReply } },
    handle: claim,
  }),
  defineRoute({
    method: "POST",
    path: "/api/v2/work/heartbeat",
    operation: "work.heartbeat",
    summary: "Extends the hold of a worker on its work by 15 s.",
    permission: PERMISSION,
    body: { schema: heartbeatBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "Work that the worker no longer holds", schema: heartbeatReply } },
    handle: renew,
  }),
  defineRoute({
    method: "POST",
    path: "/api/v2/work/complete",
    operation: "work.complete",
    summary: "Reports results of functions. Each result is answered on its own, after it is stored.",
    permission: PERMISSION,
    body: { schema: completeBody, bytesMax: RESULTS_BYTES_MAX, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "Result of each report", schema: completeReply } },
    handle: complete,
  }),
];

async function claim(call: Call<z.output<typeof claimBody>, unknown>): Promise<Response> {
  const { services, principal, body, request } = call;
  requireProtocol(body.protocol);
  const { orgId } = principal;
  const { workerId, limit, waitMs } = body;
  const functions = [...new Set(body.functions)].sort(compareCodeUnits);
  await services.work.workers.seen(orgId, { workerId, functions });
  const { signal } = request;
  return json(await services.work.queue.poll({ orgId, workerId, functions, limit, waitMs, signal }));
}

async function renew(call: Call<z.output<typeof heartbeatBody>, unknown>): Promise<Response> {
  const { services, principal, body } = call;
  requireProtocol(body.protocol);
  const { orgId } = principal;
  const { workerId, functions, leaving } = body;
  const { queue, workers } = services.work;
  const held = body.held.flatMap((dispatchId) => keyOf(dispatchId) ?? []);
  if (leaving) {
    await queue.leave(orgId, workerId, held);
    await workers.left(orgId, workerId);
  } else await workers.seen(orgId, { workerId, functions: [...new Set(functions)].sort(compareCodeUnits) });
  const gone = new Set((await queue.renew(orgId, workerId, held)).map((key) => dispatchIdOf(key)));
  const lost = body.held.filter((dispatchId) => keyOf(dispatchId) === undefined || gone.has(dispatchId));
  return json({ lost });
}

async function complete(call: Call<z.output<typeof completeBody>, unknown>): Promise<Response> {
  const { services, principal, body } = call;
  requireProtocol(body.protocol);
  const { orgId } = principal;
  const lost = await lostWorkOf(services, orgId, body);
  const results = body.results.map(async (result) => {
    const { dispatchId } = result;
    const address = readDispatchId(dispatchId);
    if (address === undefined) return { dispatchId, outcome: "unknown" as const };
    if (lost.has(dispatchId)) return { dispatchId, outcome: "discarded" as const };
    const reporter = { orgId, isWorker: true } as const;
    return { dispatchId, outcome: await services.runtime.report(reporter, address, reportOfWork(result, address)) };
  });
  return json({ results: await Promise.all(results) });
}

/** Returns failed work that the reporting worker no longer holds. Such a failure is ignored while another worker executes it. */
async function lostWorkOf(
  { work }: Services,
  orgId: string,
  { workerId, results }: { readonly workerId: string; readonly results: readonly WorkResult[] },
): Promise<ReadonlySet<string>> {
  const failed = results.flatMap(({ status, dispatchId }) => (status === "completed" ? [] : (keyOf(dispatchId) ?? [])));
  if (failed.length === 0) return new Set();
  return new Set((await work.queue.renew(orgId, workerId, failed)).map((key) => dispatchIdOf(key)));
}

function keyOf(dispatchId: string): WorkKey | undefined {
  const address = readDispatchId(dispatchId);
  if (address === undefined) return undefined;
  const { runId, nodeId, attempt } = address;
  return { runId, nodeId, attempt };
}

function requireProtocol(protocol: number): void {
  if (protocol === WORK_PROTOCOL) return;
  const whose = protocol < WORK_PROTOCOL ? "Upgrade the worker" : "Upgrade the server";
  const detail = `This server speaks protocol ${WORK_PROTOCOL} of workers, and not ${protocol}. ${whose}.`;
  throw new Refused("protocol_unsupported", detail);
}
