import type { JsonObject } from "../core/base/index.ts";
import { ADAPTER_SPECIFICATION, type Adapter } from "./adapter.ts";
import { TURN_SUPPORT } from "./agent-turn.ts";
import { callAdapter, pause, within } from "./conformance-call.ts";
import {
  checkAbortedBefore,
  checkAbortedMidway,
  checkHostile,
  checkSideBySide,
  checkTwice,
  type Bench,
} from "./conformance-trial.ts";
import {
  broken,
  kept,
  reasonOf,
  untested,
  type ConformanceCheck,
  type ConformanceReport,
  type Finding,
} from "./conformance-report.ts";
import { sampleRequest, type Sample } from "./conformance-request.ts";
import { checkTurnDenial, checkTurnOrder, checkTurnResume, checkTurnSuspension } from "./conformance-turn.ts";
import { judgeJson, judgeLog, judgePartials, judgeShape, judgeUsage } from "./conformance-result.ts";

export interface ConformanceOptions {
  /** The adapter's section of a configuration; `{}` when absent. */
  readonly config?: JsonObject;
  /** A request that works, or a function that makes one for a word which the answer repeats. Every call of the suite uses it. */
  readonly sample?: Sample;
  /** A request that takes long enough to be aborted midway. */
  readonly slow?: Sample;
  /** A request whose turn calls at least one tool, for adapters that support turns. */
  readonly turn?: Sample;
  /** Maximum time until an aborted call returns. */
  readonly abortWithinMs?: number;
  /** Maximum time of any other call. */
  readonly answerWithinMs?: number;
}

const ABORT_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 60_000;
/** Time to wait for pieces and log lines that arrive after the result. They arrive soon. */
const LATE_MS = 25;

const PROVIDER = /^[a-z][a-z0-9_-]{0,63}$/;
const METHODS = ["initialize", "shutdown", "checkHealth", "capabilities", "execute", "cancel"] as const;
const CAPABILITIES = ["streaming", "structuredOutput", "tools", "deferred"] as const;
const NONSENSE: JsonObject = { "no such setting": [{ "": null }], "\u0000": -1 };

/** Checks an adapter against every promise of the interface. Makes about thirty calls, with real effects if the adapter has any. */
export async function checkAdapter(adapter: Adapter, options: ConformanceOptions = {}): Promise<ConformanceReport> {
  const checks: ConformanceCheck[] = [];
  const check = async (name: string, find: () => Finding | Promise<Finding>): Promise<boolean> => {
    let finding: Finding;
    try {
      finding = await find();
    } catch (thrown) {
      finding = broken(`It threw: ${reasonOf(thrown)}`);
    }
    checks.push({ name, ...finding });
    return finding.ok !== false;
  };
  await check("specification version", () => judgeVersion(adapter));
  await check("provider id", () => judgeProvider(adapter));
  const isWhole = await check("members", () => judgeMembers(adapter));
  if (isWhole) {
    await checkLife(adapter, options, check);
    await checkCalls(adapter, options, check);
    await checkTurns(adapter, options, check);
    await checkEnd(adapter, options, check);
  }
  const provider = typeof adapter.provider === "string" ? adapter.provider : "";
  return { provider, ok: checks.every(({ ok }) => ok !== false), checks };
}

type Check = (name: string, find: () => Finding | Promise<Finding>) => Promise<boolean>;

async function checkLife(adapter: Adapter, options: ConformanceOptions, check: Check): Promise<void> {
  const limitMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  await check("refuses nonsense configuration", async () => {
    const outcome = await within(
      invoke(() => adapter.initialize(NONSENSE)),
      limitMs,
    );
    if (outcome.kind === "pending") return broken("initialize did not answer.");
    if (outcome.kind === "rejected") return kept(`It refused: ${outcome.reason.slice(0, 200)}`);
    return options.config === undefined
      ? untested("It accepts any configuration, so it seems to have none.")
      : broken("It accepted settings that do not exist.");
  });
  await check("initialize", async () => {
    const outcome = await within(
      invoke(() => adapter.initialize(options.config ?? {})),
      limitMs,
    );
    if (outcome.kind === "pending") return broken("initialize did not answer.");
    return outcome.kind === "rejected" ? broken(`initialize rejected: ${outcome.reason}`) : kept("It was initialised");
  });
  await check("capabilities", () => {
    const capabilities = new Map<string, unknown>(Object.entries(adapter.capabilities()));
    const odd = CAPABILITIES.find((name) => typeof capabilities.get(name) !== "boolean");
    if (odd !== undefined) return broken(`"${odd}" is not true or false.`);
    const turns = capabilities.get("turns");
    if (turns !== undefined && !TURN_SUPPORT.some((known) => known === turns)) {
      return broken(`"turns" is none of ${TURN_SUPPORT.join(", ")}.`);
    }
    return kept(CAPABILITIES.filter((name) => capabilities.get(name) === true).join(", ") || "none");
  });
  await check("health", async () => {
    const outcome = await within(
      invoke(() => adapter.checkHealth()),
      limitMs,
    );
    if (outcome.kind === "pending") return broken("checkHealth did not answer.");
    if (outcome.kind === "rejected") return broken(`checkHealth rejected: ${outcome.reason}`);
    return judgeHealth(outcome.result);
  });
}

async function checkCalls(adapter: Adapter, options: ConformanceOptions, check: Check): Promise<void> {
  const answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  const call = await callAdapter(adapter, sampleRequest(adapter.provider, options.sample, "plain"), {
    withinMs: answerWithinMs,
  });
  await pause(LATE_MS);
  const isShapeKept = await check("execute", () => judgeShape(call.outcome, options.sample !== undefined));
  await check("result is data", () => judgeJson(call.outcome));
  await check("usage", () => judgeUsage(call.outcome));
  await check("partials", () => judgePartials(call, isStreaming(adapter)));
  await check("log", () => judgeLog(call));
  const bench: Bench = {
    adapter,
    sample: options.sample,
    slow: options.slow ?? options.sample,
    abortWithinMs: options.abortWithinMs ?? ABORT_WITHIN_MS,
    answerWithinMs,
    isShapeKept,
  };
  await check("aborted before", () => checkAbortedBefore(bench));
  await check("aborted midway", () => checkAbortedMidway(bench));
  await check("hostile requests", () => checkHostile(bench));
  await check("side by side", () => checkSideBySide(bench));
  await check("same dispatch twice", () => checkTwice(bench));
}

/** Checks the turns of an adapter. The inside of an opaque adapter is not visible, so there is nothing to check. */
async function checkTurns(adapter: Adapter, options: ConformanceOptions, check: Check): Promise<void> {
  if ((adapter.capabilities().turns ?? "opaque") === "opaque") return;
  const bench = { adapter, turn: options.turn, answerWithinMs: options.answerWithinMs ?? ANSWER_WITHIN_MS };
  await check("turn: order", () => checkTurnOrder(bench));
  await check("turn: denial", () => checkTurnDenial(bench));
  await check("turn: suspension", () => checkTurnSuspension(bench));
  await check("turn: resume", () => checkTurnResume(bench));
}

async function checkEnd(adapter: Adapter, options: ConformanceOptions, check: Check): Promise<void> {
  const limitMs = options.answerWithinMs ?? ANSWER_WITHIN_MS;
  await check("cancel of an unknown dispatch", async () => {
    const outcome = await within(
      invoke(() => adapter.cancel("no-such-dispatch")),
      limitMs,
    );
    if (outcome.kind === "result") return kept("It does nothing");
    return broken(outcome.kind === "pending" ? "cancel did not answer." : `cancel rejected: ${outcome.reason}`);
  });
  await check("shutdown, twice", async () => {
    for (const time of ["shutdown", "the second shutdown"]) {
      const outcome = await within(
        invoke(() => adapter.shutdown()),
        limitMs,
      );
      if (outcome.kind === "pending") return broken(`${time} did not answer.`);
      if (outcome.kind === "rejected") return broken(`${time} rejected: ${outcome.reason}`);
    }
    return kept("It shuts down, and may be shut down again");
  });
}

/** Turns a synchronous throw into a rejection, so that both count the same. */
async function invoke(call: () => Promise<unknown>): Promise<unknown> {
  return call();
}

function judgeVersion({ specificationVersion }: { readonly specificationVersion: unknown }): Finding {
  if (specificationVersion === ADAPTER_SPECIFICATION) return kept(ADAPTER_SPECIFICATION);
  return broken(
    `It is ${JSON.stringify(specificationVersion) ?? "absent"}; this suite knows "${ADAPTER_SPECIFICATION}".`,
  );
}

function judgeProvider({ provider }: { readonly provider: unknown }): Finding {
  if (typeof provider === "string" && PROVIDER.test(provider)) return kept(provider);
  return broken("It must be lower-case letters, digits, - and _, a letter first, at most 64.");
}

function judgeMembers(adapter: Adapter): Finding {
  const missing = METHODS.filter((name) => typeof adapter[name] !== "function");
  return missing.length === 0 ? kept(METHODS.join(", ")) : broken(`Not a function: ${missing.join(", ")}.`);
}

function judgeHealth(health: unknown): Finding {
  if (typeof health !== "object" || health === null || !("status" in health)) return broken("It has no status.");
  const { status } = health;
  if (status !== "healthy" && status !== "degraded" && status !== "offline") {
    return broken(`The status ${JSON.stringify(status) ?? "undefined"} is none of healthy, degraded, offline.`);
  }
  const message = "message" in health ? health.message : undefined;
  if (message !== undefined && typeof message !== "string") return broken("The message is not a text.");
  return kept(message === undefined ? status : `${status}: ${message}`);
}

function isStreaming(adapter: Adapter): boolean {
  try {
    return adapter.capabilities().streaming;
  } catch {
    return false;
  }
}
