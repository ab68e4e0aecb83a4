import { describe, expect, it } from "vitest";
import { checkAdapter, type Adapter, type AdapterHooks, type AdapterRequest, type AdapterResult } from "./index.ts";

/** Repeats its message after a turn of the event loop, in two pieces. */
function makeAdapter(changes: Partial<Adapter> = {}): Adapter {
  return {
    specificationVersion: "v1",
    provider: "echo",
    initialize: (config) =>
      Object.keys(config).length === 0 ? Promise.resolve() : Promise.reject(new Error("It has no settings.")),
    shutdown: () => Promise.resolve(),
    checkHealth: () => Promise.resolve({ status: "healthy" }),
    capabilities: () => ({ streaming: true, structuredOutput: false, tools: false, deferred: false }),
    execute: echo,
    cancel: () => Promise.resolve(),
    ...changes,
  };
}

const CANCELLED: AdapterResult = { status: "failed", failure: "cancelled", message: "Cancelled." };

async function echo(request: AdapterRequest, hooks: AdapterHooks): Promise<AdapterResult> {
  await turn();
  if (hooks.signal.aborted) return CANCELLED;
  hooks.onLog({ level: "info", message: "Repeating." });
  hooks.onPartial({ text: request.message.slice(0, 1) });
  hooks.onPartial({ text: request.message.slice(1) });
  if (request.inputs["slow"] === true) await aborted(hooks.signal);
  if (hooks.signal.aborted) return CANCELLED;
  return { status: "completed", stdout: request.message, inputTokens: 3, outputTokens: 4, costUsd: 0.01 };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

type Execute = Adapter["execute"];

/** What each broken adapter does, under the name of the one check that must see it. */
const BROKEN: Readonly<Record<string, Partial<Adapter>>> = {
  "specification version": { specificationVersion: "v0" as "v1" },
  "provider id": { provider: "Not an id" },
  initialize: { initialize: () => Promise.reject(new Error("never ready")) },
  capabilities: { capabilities: () => ({ streaming: "yes" }) as never },
  health: { checkHealth: () => Promise.resolve({ status: "fine" } as never) },
  execute: { execute: async (request, hooks) => without(await echo(request, hooks), "status") },
  "result is data": {
    execute: async (request, hooks) => ({ ...(await echo(request, hooks)), when: new Date(0) }),
  },
  usage: { execute: async (request, hooks) => ({ ...(await echo(request, hooks)), inputTokens: -1 }) as never },
  partials: {
    execute: async (request, hooks) => {
      const result = await echo(request, hooks);
      setImmediate(() => hooks.onPartial({ text: "one more thing" }));
      return result;
    },
  },
  log: {
    execute: (request, hooks) => {
      hooks.onLog("a line" as never);
      return echo(request, hooks);
    },
  },
  "aborted before": {
    execute: (request, hooks) =>
      echo(request, hooks.signal.aborted ? { ...hooks, signal: new AbortController().signal } : hooks),
  },
  "aborted midway": {
    execute: (request, hooks) =>
      request.inputs["slow"] === true ? new Promise(() => undefined) : echo(request, hooks),
  },
  "hostile requests": {
    execute: (request, hooks) => {
      if (request.message.includes("\u0000")) throw new Error("Cannot send NUL.");
      return echo(request, hooks);
    },
  },
  "side by side": { execute: leaky() },
  "same dispatch twice": { execute: sharing() },
  "cancel of an unknown dispatch": { cancel: () => Promise.reject(new Error("Who?")) },
  "shutdown, twice": { shutdown: onceOnly() },
};

function without(value: AdapterResult, key: string): never {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key)) as never;
}

/** Keeps the last message in a place all calls share. */
function leaky(): Execute {
  let message = "";
  return async (request, hooks) => {
    ({ message } = request);
    await turn();
    return echo({ ...request, message }, hooks);
  };
}

/** One signal per dispatch id, not per call. */
function sharing(): Execute {
  const signals = new Map<string, AbortSignal>();
  return (request, hooks) => {
    const signal = signals.get(request.dispatchId) ?? hooks.signal;
    if (request.dispatchId.endsWith("twice")) signals.set(request.dispatchId, signal);
    return echo(request, { ...hooks, signal });
  };
}

function onceOnly(): () => Promise<void> {
  let isOver = false;
  return () => {
    if (isOver) return Promise.reject(new Error("It is over already."));
    isOver = true;
    return Promise.resolve();
  };
}

const OPTIONS = {
  sample: (canary: string): Partial<AdapterRequest> => ({ message: `say ${canary}` }),
  slow: { inputs: { slow: true } },
  abortWithinMs: 200,
} as const;

describe("checkAdapter", () => {
  it("passes an adapter that keeps every promise", async () => {
    const report = await checkAdapter(makeAdapter(), OPTIONS);
    expect(report.checks.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(report).toMatchObject({ provider: "echo", ok: true });
  });

  it.each(Object.entries(BROKEN))("sees that a promise is broken, and only that: %s", async (name, changes) => {
    const report = await checkAdapter(makeAdapter(changes), OPTIONS);
    expect(report.checks.filter(({ ok }) => ok === false).map((check) => check.name)).toEqual([name]);
    expect(report.ok).toBe(false);
  });

  it("stops at missing members", async () => {
    const report = await checkAdapter(makeAdapter({ cancel: undefined as never }), OPTIONS);
    expect(report.checks.at(-1)).toEqual({ name: "members", ok: false, detail: "Not a function: cancel." });
  });

  it("sees nonsense accepted by an adapter that has settings", async () => {
    const config = { key: "x" };
    const report = await checkAdapter(makeAdapter({ initialize: () => Promise.resolve() }), { ...OPTIONS, config });
    expect(report.checks.filter(({ ok }) => ok === false).map(({ name }) => name)).toEqual([
      "refuses nonsense configuration",
    ]);
  });

  it("sees a sample that does not work", async () => {
    const failing: Execute = () => Promise.resolve({ status: "failed", failure: "provider_auth", message: "No key." });
    const report = await checkAdapter(makeAdapter({ execute: failing }), OPTIONS);
    expect(report.checks.find(({ name }) => name === "execute")).toEqual({
      name: "execute",
      ok: false,
      detail: "The sample request failed with provider_auth: No key.",
    });
  });

  it("finds log lines that come after the result", async () => {
    const late: Execute = async (request, hooks) => {
      const result = await echo(request, hooks);
      setImmediate(() => hooks.onLog({ level: "info", message: "one more line" }));
      return result;
    };
    const { ok, checks } = await checkAdapter(makeAdapter({ execute: late }));
    expect(ok).toBe(false);
    expect(checks.filter((check) => check.ok === false)).toMatchObject([
      { name: "log", detail: "Lines that came after the result: 1." },
    ]);
  });

  it("reports what it could not test", async () => {
    const quiet: Execute = (_, hooks) =>
      Promise.resolve(hooks.signal.aborted ? CANCELLED : { status: "completed", stdout: "yes" });
    const report = await checkAdapter(makeAdapter({ execute: quiet, initialize: () => Promise.resolve() }));
    expect(report.ok).toBe(true);
    expect(report.checks.filter(({ ok }) => ok === null).map(({ name }) => name)).toEqual([
      "refuses nonsense configuration",
      "usage",
      "partials",
      "log",
      "aborted midway",
      "side by side",
    ]);
  });

  it.each([
    ["at the limit", 5 * 1_048_576, true],
    ["one byte over it", 5 * 1_048_576 + 1, false],
  ])("weighs the result: %s", async (_, bytes, ok) => {
    const frame = JSON.stringify({ status: "completed", stdout: "" }).length;
    const heavy: Execute = () => Promise.resolve({ status: "completed", stdout: "x".repeat(bytes - frame) });
    const report = await checkAdapter(makeAdapter({ execute: heavy }));
    expect(report.checks.find(({ name }) => name === "result is data")).toMatchObject({ ok });
  });
});
