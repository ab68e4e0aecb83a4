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

/** A report of a gateway on one of its dispatches: read in any spelling of the wire, checked, and taken. */
export async function takeReport(services: Services, reporter: GatewayReporter, sent: unknown): Promise<CallbackReply> {
  const { body: spelled, warnings } = readSentCallback(sent, services.config.now());
  const body = readPeerShape(callbackSchema, await identified(services, reporter, spelled));
  const named = readDispatchId(body.dispatchId);
  if (named === undefined) throw unknownDispatch(body.dispatchId);
  // Which execution reports is part of the id, or said beside it.
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

/** The result will never be taken, so that it is not waited for: the attempt fails now. */
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

/** A dispatch id says run, step and attempt; run and step alone mean the newest attempt of that gateway. */
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
  // The shape refuses an attempt that is no number.
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

/** A dispatch that is not there at all is not found, whatever else is wrong with the report on it. */
async function requireDispatch(
  { runtime }: Services,
  reporter: GatewayReporter,
  address: AttemptAddress,
  dispatchId: string,
): Promise<void> {
  const outcome = await runtime.stream(reporter, address, []);
  if (outcome === "unknown") throw unknownDispatch(dispatchId);
}
