import type { Adapter, AdapterRequest } from "./adapter.ts";
import { callAdapter, pause, type TrialOutcome } from "./conformance-call.ts";
import { broken, kept, untested, type Finding } from "./conformance-report.ts";
import { HOSTILE_REQUESTS, sampleRequest, type Sample } from "./conformance-request.ts";
import { readResult, wireResult } from "./conformance-result.ts";

/** The adapter, samples and time limits that the checks of `execute` share. */
export interface Bench {
  readonly adapter: Adapter;
  readonly sample: Sample | undefined;
  readonly slow: Sample | undefined;
  readonly abortWithinMs: number;
  readonly answerWithinMs: number;
  /** True when the plain request returned a valid result. The other requests are then checked for a valid result too. */
  readonly isShapeKept: boolean;
}

const SIDE_BY_SIDE = 12;
/** Time to wait so that the adapter is in the middle of its work. */
const UNDER_WAY_MS = 50;

function requestOf(bench: Bench, canary: string, sample = bench.sample): AdapterRequest {
  return sampleRequest(bench.adapter.provider, sample, canary);
}

export async function checkAbortedBefore(bench: Bench): Promise<Finding> {
  const { outcome } = await callAdapter(bench.adapter, requestOf(bench, "aborted"), {
    signal: AbortSignal.abort(),
    withinMs: bench.abortWithinMs,
  });
  return judgeAbort(outcome, bench, true);
}

export async function checkAbortedMidway(bench: Bench): Promise<Finding> {
  const controller = new AbortController();
  const request = requestOf(bench, "abort", bench.slow);
  let isOver = false;
  const call = callAdapter(bench.adapter, request, {
    signal: controller.signal,
    withinMs: bench.abortWithinMs + UNDER_WAY_MS,
  }).finally(() => (isOver = true));
  await Promise.race([call, pause(UNDER_WAY_MS)]);
  if (isOver) {
    return untested("It answered before it could be aborted; give a slow request to test this.");
  }
  controller.abort();
  return judgeAbort((await call).outcome, bench, false);
}

/** `mustFail`: nothing can have been done yet. With an abort midway, the result may already have been ready. */
function judgeAbort(outcome: TrialOutcome, bench: Bench, mustFail: boolean): Finding {
  if (outcome.kind === "pending") return broken(`It did not answer within ${bench.abortWithinMs} ms of the abort.`);
  if (outcome.kind === "rejected") return broken(`execute rejected instead of resolving: ${outcome.reason}`);
  const result = readResult(outcome);
  if (result?.status === "failed") return kept(`It answered ${result.failure}.`);
  if (result === undefined && bench.isShapeKept) return broken("It answered with something that is no result.");
  return mustFail && result !== undefined
    ? broken(`It answered ${result.status} to a request that was aborted before it began.`)
    : kept("It answered in time.");
}

export async function checkHostile(bench: Bench): Promise<Finding> {
  for (const hostile of HOSTILE_REQUESTS) {
    const request = hostile.change(requestOf(bench, "hostile"));
    const { outcome } = await callAdapter(bench.adapter, request, { withinMs: bench.answerWithinMs });
    if (outcome.kind === "rejected") return broken(`execute rejected ${hostile.name}: ${outcome.reason}`);
    if (outcome.kind === "pending") return broken(`execute did not answer ${hostile.name} in time.`);
    if (bench.isShapeKept && readResult(outcome) === undefined) {
      return broken(`execute answered ${hostile.name} with something that is no result.`);
    }
    if (Object.hasOwn(Object.prototype, "polluted")) {
      return broken(`${hostile.name} changed the prototype of every object.`);
    }
  }
  return kept(`${HOSTILE_REQUESTS.length} kinds were answered with a result`);
}

export async function checkSideBySide(bench: Bench): Promise<Finding> {
  const canaries = Array.from({ length: SIDE_BY_SIDE }, (_, index) => `canary${String(index + 101)}end`);
  const texts = await Promise.all(
    canaries.map(async (canary) => {
      const { outcome, parts } = await callAdapter(bench.adapter, requestOf(bench, canary), {
        withinMs: bench.answerWithinMs,
      });
      return JSON.stringify([wireResult(outcome), parts]);
    }),
  );
  for (const [index, text] of texts.entries()) {
    const foreign = canaries.find((canary, other) => other !== index && text.includes(canary));
    if (foreign !== undefined) return broken(`The answer to request ${index + 1} holds a word of another request.`);
  }
  const own = texts.filter((text, index) => text.includes(canaries[index] ?? "")).length;
  if (own === 0) return untested("The answers repeat nothing of the requests, so a mix-up could not be seen.");
  return kept(`${SIDE_BY_SIDE} at once, ${own} answers with their own word`);
}

/** Checks that two calls with the same dispatchId are independent: aborting one must not end the other. */
export async function checkTwice(bench: Bench): Promise<Finding> {
  const request = requestOf(bench, "twice");
  const controller = new AbortController();
  const first = callAdapter(bench.adapter, request, { signal: controller.signal, withinMs: bench.answerWithinMs });
  const second = callAdapter(bench.adapter, request, { withinMs: bench.answerWithinMs });
  controller.abort();
  await first;
  const { outcome } = await second;
  if (outcome.kind === "pending") return broken("The second call with the same dispatchId was not answered.");
  if (outcome.kind === "rejected")
    return broken(`The second call with the same dispatchId rejected: ${outcome.reason}`);
  const result = readResult(outcome);
  if (result?.status === "failed" && result.failure === "cancelled") {
    return broken("Aborting one call cancelled the other one with the same dispatchId.");
  }
  return kept("Aborting one call left the other alone");
}
