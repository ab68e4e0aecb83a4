import {
  CALLBACK_BYTES_MAX,
  type CallbackBody,
  type CallbackReply,
  callbackSchema,
  readSentCallback,
  withWarnings,
} from "../bridge/index.ts";
import { isJsonObject, type Json, LIMITS } from "../core/base/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { type AttemptAddress, dispatchIdOf, readDispatchId } from "../core/event/index.ts";
import type { Reporter, ReportOutcome } from "../driver/index.ts";
import { readPeerShape } from "./peer-shape.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

export type GatewayReporter = Extract<Reporter, { readonly gatewayId: string }>;

/** Accepts a report of a gateway on one of its dispatches: reads any spelling of the wire, checks and submits it. */
export async function takeReport(services: Services, reporter: GatewayReporter, sent: unknown): Promise<CallbackReply> {
  const { body: spelled, warnings } = readSentCallback(sent, services.config.now());
  const body = readPeerShape(callbackSchema, await identified(services, reporter, spelled));
  const named = readDispatchId(body.dispatchId);
  if (named === undefined) throw unknownDispatch(body.dispatchId);
  // The segment of the execution is in the id, or in a separate field.
  const address =
    named.segment === undefined && body.segment !== undefined ? { ...named, segment: body.segment } : named;
  if (address.runId !== body.runId || address.nodeId !== body.stepId || address.attempt !== body.attempt) {
    await requireDispatch(services, reporter, address, body.dispatchId);
    const detail = `"${body.dispatchId}" is not attempt ${body.attempt} of ${body.stepId} in ${body.runId}.`;
    throw new Refused("stale_attempt", detail);
  }
  const outcome = await services.runtime.report(reporter, address, withWarnings(body, warnings));
  return replyTo(outcome, body.dispatchId, warnings);
}

/** Fails the attempt at once: its result is too large to be accepted, so waiting for it is pointless. */
export async function failTooLarge(
  { runtime, config }: Services,
  reporter: GatewayReporter,
  dispatchId: string | null,
): Promise<void> {
  const address = dispatchId === null ? undefined : readDispatchId(dispatchId);
  if (dispatchId === null || address === undefined) return;
  const at = isoFromEpochMs(config.now());
  const { runId, nodeId: stepId, attempt } = address;
  const body: CallbackBody = {
    dispatchId,
    runId,
    stepId,
    attempt,
    status: "failed",
    errorCode: "body_too_large",
    error: `The result was refused: a callback has at most ${CALLBACK_BYTES_MAX} bytes. Return less, or a link to it.`,
    startedAt: at,
    completedAt: at,
  };
  await runtime.report(reporter, address, body);
}

export function replyTo(outcome: ReportOutcome, dispatchId: string, warnings: readonly string[] = []): CallbackReply {
  const added = warnings.length === 0 ? {} : { warnings };
  switch (outcome) {
    case "received":
      return { received: true, ...added };
    case "deduplicated":
      return { received: true, deduplicated: true, ...added };
    case "discarded":
      return { received: true, discarded: true, ...added };
    case "unknown":
      throw unknownDispatch(dispatchId);
  }
}

export function unknownDispatch(dispatchId: string): Refused {
  return new Refused("unknown_dispatch", `There is no dispatch "${dispatchId.slice(0, 400)}" of this gateway.`);
}

/** Completes the ids of a report: a dispatch id contains all of them; run and step alone mean the newest attempt of the gateway. */
export async function identified(services: Services, reporter: GatewayReporter, sent: unknown): Promise<unknown> {
  if (!isJsonObject(sent as Json)) return sent;
  const body = sent as Readonly<Record<string, Json>>;
  const { dispatchId, runId, stepId } = body;
  if (typeof dispatchId === "string") {
    const address = readDispatchId(dispatchId);
    if (address === undefined) return body;
    return { runId: address.runId, stepId: address.nodeId, attempt: address.attempt, ...body };
  }
  if (dispatchId !== undefined || typeof runId !== "string" || typeof stepId !== "string") return body;
  // The schema refuses an attempt that is not a number.
  const attempt = (body["attempt"] ?? (await newestAttempt(services, reporter, runId, stepId))) as number;
  return { ...body, attempt, dispatchId: dispatchIdOf({ runId, nodeId: stepId, attempt }) };
}

async function newestAttempt(
  { runtime }: Services,
  reporter: GatewayReporter,
  runId: string,
  nodeId: string,
): Promise<number> {
  let newest = 1;
  for (let attempt = 1; attempt <= LIMITS.callsPerNodeMax; attempt += 1) {
    const outcome = await runtime.stream(reporter, { runId, nodeId, attempt }, []);
    if (outcome === "received") return attempt;
    if (outcome === "unknown" && attempt > newest) break;
    newest = attempt;
  }
  return newest;
}

/** Reports an unknown dispatch as not found, before any other problem of the report. */
async function requireDispatch(
  { runtime }: Services,
  reporter: GatewayReporter,
  address: AttemptAddress,
  dispatchId: string,
): Promise<void> {
  const outcome = await runtime.stream(reporter, address, []);
  if (outcome === "unknown") throw unknownDispatch(dispatchId);
}
