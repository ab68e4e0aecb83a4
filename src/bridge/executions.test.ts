import { describe, expect, it } from "vitest";
import { stubAdapter, stubRequest } from "../../test/gateway/stub-adapter.ts";
import type { Adapter, AdapterRequest, AdapterResult } from "../adapter/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import { createRedactor } from "../core/redaction/index.ts";
import { callbackOf, reportOutcome } from "./callback.ts";
import { Executions, type ExecutionsOptions, type Given } from "./executions.ts";
import { LOG_LENGTH_MAX, LOG_LINES_MAX } from "./log-book.ts";
import type { ExecutionOutcome } from "./execution-outcome.ts";

const REQUEST = stubRequest({ timeoutMs: 100 });
const STREAMING = () => ({ streaming: true, structuredOutput: false, tools: false, deferred: true });

function setUp(execute: Adapter["execute"], options: Partial<ExecutionsOptions> & { cancel?: Adapter["cancel"] } = {}) {
  const clock = createVirtualClock(1_000);
  const executions = new Executions({
    adapters: [
      stubAdapter({
        execute,
        capabilities: STREAMING,
        ...(options.cancel === undefined ? {} : { cancel: options.cancel }),
      }),
    ],
    clock,
    ...options,
  });
  const outcomes: ExecutionOutcome[] = [];
  const texts: string[] = [];
  const report = {
    stream: (deltas: readonly { text?: string }[]) => texts.push(...deltas.map(({ text }) => text ?? "<media>")),
    ended: (outcome: ExecutionOutcome) => void outcomes.push(outcome),
  };
  const start = (changes: Partial<AdapterRequest> = {}, given: Given = {}) =>
    executions.start({ ...REQUEST, ...changes }, report, given);
  const settle = () => clock.run(() => false);
  return { clock, executions, outcomes, texts, start, settle };
}

const never = (): Promise<AdapterResult> => new Promise(() => undefined);
const done = (result: AdapterResult = { status: "completed" }) => Promise.resolve(result);

describe("executions", () => {
  it("runs a dispatch once, however often it is sent", async () => {
    let calls = 0;
    const { executions, outcomes, start, settle } = setUp(() => {
      calls += 1;
      return done({ status: "completed", stdout: "hello" });
    });
    expect(start()).toBe("accepted");
    for (let time = 0; time < 100; time += 1) expect(start()).toBe("duplicate");
    expect(executions.find(REQUEST.dispatchId)).toMatchObject({ state: "running" });
    expect(executions.openCount).toBe(1);
    await settle();
    expect(start()).toBe("duplicate");
    expect([calls, outcomes.length, executions.openCount]).toEqual([1, 1, 0]);
    expect(executions.find(REQUEST.dispatchId)).toMatchObject({
      state: "ended",
      startedAt: "1970-01-01T00:00:01.000Z",
      result: { status: "completed", stdout: "hello", executionPath: "async" },
    });
  });

  it("knows which adapters it has", () => {
    const { start, executions } = setUp(never);
    expect(start({ provider: "other" })).toBe("unknown_provider");
    expect(executions.find(REQUEST.dispatchId)).toBeUndefined();
    expect(executions.providers).toEqual(["test"]);
  });

  it("reports timed_out also when the adapter ignores the abort", async () => {
    const cancelled: string[] = [];
    let isAborted = false;
    const { clock, outcomes, start, settle } = setUp(
      (_, { signal }) => {
        signal.addEventListener("abort", () => (isAborted = true));
        return never();
      },
      { cancel: (id) => (cancelled.push(id), Promise.reject(new Error("no"))) },
    );
    start();
    await settle();
    expect([isAborted, cancelled]).toEqual([true, [REQUEST.dispatchId]]);
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]?.result).toMatchObject({ status: "failed", failure: "timeout" });
    expect(clock.now()).toBe(1_000 + 100 + 1_000);
    expect(outcomes.map((outcome) => callbackOf(outcome, "async").status)).toEqual(["timed_out"]);
  });

  it("keeps only the cost of an answer that comes after its time", async () => {
    const { outcomes, start, settle } = setUp(
      (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => resolve({ status: "completed", stdout: "late", costUsd: 2 })),
        ),
    );
    start();
    await settle();
    expect(outcomes[0]?.result).toMatchObject({ status: "failed", failure: "timeout", costUsd: 2 });
    expect(outcomes[0]?.result).not.toHaveProperty("stdout");
  });

  it("reports nothing more when an adapter that was given up answers at last", async () => {
    const { clock, outcomes, start, settle } = setUp(
      () => new Promise((resolve) => void clock.after(5_000, () => resolve({ status: "completed", stdout: "late" }))),
    );
    start();
    await settle();
    expect(clock.now()).toBe(6_000);
    expect(outcomes).toHaveLength(1);
  });

  it("does not end a dispatch without a limit", async () => {
    const { outcomes, start, settle, executions } = setUp(never);
    start({ timeoutMs: null });
    await settle();
    expect([outcomes.length, executions.isOpen(REQUEST.dispatchId)]).toEqual([0, true]);
  });

  it.each<[string, AdapterResult | null, string]>([
    ["a failure", { status: "failed", failure: "provider_error", message: "aborted", inputTokens: 4 }, "cancelled"],
    ["an answer", { status: "completed", stdout: "just in time" }, "completed"],
    ["a promise of more", { status: "deferred" }, "cancelled"],
    ["silence", null, "cancelled"],
  ])("takes %s from an adapter that was cancelled", async (_, answer, status) => {
    const { executions, outcomes, start, settle } = setUp((_request, { signal }) =>
      answer === null
        ? never()
        : new Promise((resolve) => signal.addEventListener("abort", () => resolve(answer), { once: true })),
    );
    start({ timeoutMs: null });
    expect(executions.cancel(REQUEST.dispatchId)).toBe(true);
    expect(executions.cancel(REQUEST.dispatchId)).toBe(true);
    await settle();
    expect(executions.cancel(REQUEST.dispatchId)).toBe(false);
    expect(outcomes.map((outcome) => reportOutcome(outcome).status)).toEqual([status]);
  });

  it("takes nonsense of an adapter for its bug", async () => {
    const { outcomes, start, settle } = setUp(() => Promise.resolve("fine" as unknown as AdapterResult));
    start();
    await settle();
    expect(outcomes[0]?.result).toMatchObject({ failure: "adapter_bug" });
  });

  it("streams before it ends, and nothing after a cancel", async () => {
    const { executions, outcomes, texts, start, settle } = setUp((request, { onPartial, signal }) => {
      onPartial({ text: "a" });
      onPartial({ text: "b" });
      if (request.timeoutMs !== null) return done();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          onPartial({ text: "c" });
          resolve({ status: "completed" });
        }),
      );
    });
    start();
    await settle();
    expect(texts).toEqual(["a", "b"]);
    start({ dispatchId: "other", timeoutMs: null });
    executions.cancel("other");
    await settle();
    expect(texts).toEqual(["a", "b", "a"]);
    expect(outcomes).toHaveLength(2);
  });

  it("notifies those who wait, and drops what is open when it stops", async () => {
    const { clock, executions, outcomes, start } = setUp((request) =>
      request.dispatchId === "quick"
        ? new Promise((resolve) => void clock.after(10, () => resolve({ status: "completed" })))
        : never(),
    );
    start({ dispatchId: "quick", timeoutMs: null });
    start({ dispatchId: "slow", timeoutMs: null });
    const [quick, slow] = [executions.whenEnded("quick"), executions.whenEnded("slow")];
    expect(executions.whenEnded("unknown")).toBeUndefined();
    let isStopped = false;
    void executions.stop(50).then(() => (isStopped = true));
    expect(start({ dispatchId: "new" })).toBe("stopping");
    expect(start({ dispatchId: "slow" })).toBe("duplicate");
    await clock.run(() => isStopped);
    expect(clock.now()).toBe(1_050);
    expect([(await quick)?.status, await slow]).toEqual(["completed", undefined]);
    expect(outcomes.map(({ request }) => request.dispatchId)).toEqual(["quick"]);
  });
});

describe("what leaves an execution", () => {
  const redactor = createRedactor([{ name: "KEY", value: "s3cr3t-value-42" }]);

  it("holds no secret, also not one cut in two by the stream", async () => {
    const { outcomes, texts, start, settle } = setUp(
      (_, { onPartial, onLog }) => {
        for (const text of ["The key is s3cr", "3t-val", "ue-42", " indeed"]) onPartial({ text });
        onPartial({ media: { url: "https://x.test/?k=s3cr3t-value-42", mime: "image/png" } });
        onLog({ level: "info", message: "using s3cr3t-value-42" });
        return done({
          status: "completed",
          stdout: "s3cr3t-value-42",
          outputs: { "s3cr3t-value-42": ["s3cr3t-value-42"] },
          messages: [{ role: "user", content: "s3cr3t-value-42" }],
          model: "m",
        });
      },
      { redactor },
    );
    start();
    await settle();
    expect(texts.join("")).toBe("The key is [redacted:KEY] indeed<media>");
    expect(JSON.stringify({ ...outcomes[0], request: null })).not.toContain("s3cr3t");
    expect(outcomes[0]?.result).toMatchObject({ stdout: "[redacted:KEY]", model: "m" });
  });

  it("holds no secret in a failure", async () => {
    const { outcomes, start, settle } = setUp(() => Promise.reject(new Error("bad key s3cr3t-value-42")), { redactor });
    start();
    await settle();
    expect(JSON.stringify(outcomes[0]?.result)).toContain("bad key [redacted:KEY]");
  });

  it.each([
    [LOG_LINES_MAX - 1, LOG_LINES_MAX - 1, false],
    [LOG_LINES_MAX, LOG_LINES_MAX, true],
    [LOG_LINES_MAX + 1, LOG_LINES_MAX, true],
  ])("of %i log lines keeps %i", async (logged, kept, isCut) => {
    const { outcomes, start, settle } = setUp((_, { onLog }) => {
      for (let line = 0; line < logged; line += 1) onLog({ level: "debug", message: `${line}` });
      return done();
    });
    start();
    await settle();
    const logs = outcomes[0]?.logs ?? [];
    expect(logs).toHaveLength(kept);
    expect(logs.at(-1)?.message.includes("left out")).toBe(isCut);
  });

  it("keeps logs within their length", async () => {
    const { outcomes, start, settle } = setUp((_, { onLog }) => {
      for (let line = 0; line < 10; line += 1) onLog({ level: "debug", message: "x".repeat(LOG_LENGTH_MAX / 4) });
      return done();
    });
    start();
    await settle();
    expect((outcomes[0]?.logs ?? []).map(({ message }) => message.length).slice(0, -1)).toEqual(
      [1, 2, 3, 4].map(() => LOG_LENGTH_MAX / 4),
    );
  });
});

describe("what is kept of ended dispatches", () => {
  it.each([
    [1, ["c"]],
    [2, ["b", "c"]],
    [3, ["a", "b", "c"]],
  ])("at most %i of them", async (endedMax, kept) => {
    const { executions, start, settle } = setUp(() => done(), { endedMax });
    for (const dispatchId of ["a", "b", "c"]) {
      start({ dispatchId });
      await settle();
    }
    expect(["a", "b", "c"].filter((id) => executions.find(id) !== undefined)).toEqual(kept);
  });

  it("by age and by weight", async () => {
    const { clock, executions, start, settle } = setUp(() => done({ status: "completed", stdout: "x".repeat(1_000) }), {
      endedKeepMs: 500,
      endedBytesMax: 6_000,
    });
    start({ dispatchId: "a" });
    await settle();
    clock.after(499, () => start({ dispatchId: "b" }));
    await settle();
    expect(executions.find("a")).toBeDefined();
    clock.after(1, () => start({ dispatchId: "c" }));
    await settle();
    expect(["a", "b", "c"].map((id) => executions.find(id) !== undefined)).toEqual([false, true, true]);
    start({ dispatchId: "d" });
    await settle();
    expect(executions.find("b")).toBeUndefined();
  });

  it("nothing, when nothing is to be kept", async () => {
    const { executions, start, settle, outcomes } = setUp(() => done(), { endedMax: 0 });
    start();
    const ended = executions.whenEnded(REQUEST.dispatchId);
    await settle();
    expect((await ended)?.status).toBe("completed");
    expect(executions.find(REQUEST.dispatchId)).toBeUndefined();
    expect(outcomes).toHaveLength(1);
  });
});

describe("at_most_once", () => {
  it("is written down first, and not begun when that fails", () => {
    let calls = 0;
    const count = (): Promise<AdapterResult> => {
      calls += 1;
      return done();
    };
    const full = { record: () => expect.fail("disk full"), startedAt: () => undefined };
    const { start } = setUp(count, { journal: full });
    expect(start({ effects: "at_most_once" })).toBe("unjournalled");
    expect(calls).toBe(0);
    expect(start()).toBe("accepted");
  });

  it("is lost when it began in an earlier life", () => {
    const journal = { record: () => undefined, startedAt: (id: string) => (id === "old" ? 500 : undefined) };
    const { start, executions } = setUp(never, { journal });
    expect(start({ dispatchId: "old", effects: "at_most_once" })).toBe("lost");
    expect(executions.find("old")).toEqual({
      dispatchId: "old",
      state: "lost",
      startedAt: "1970-01-01T00:00:00.500Z",
    });
  });
});

describe("secrets that came with a dispatch", () => {
  const VALUE = "s3cret-value-1";
  const secrets = [
    { name: "token", tool: "billing", value: VALUE },
    { name: "far", tool: "billing", code: "secret_out_of_scope", message: "Not for you." },
  ];

  it("are found by name and tool, and only there", async () => {
    const seen: unknown[] = [];
    const { start, settle } = setUp((_, { secret }) => {
      seen.push(secret?.("token", "billing"), secret?.("token", "other"), secret?.("far", "billing"));
      return done();
    });
    start({}, { secrets });
    await settle();
    expect(seen).toEqual([
      { ok: true, value: VALUE },
      undefined,
      { ok: false, failure: { code: "secret_out_of_scope", message: "Not for you." } },
    ]);
  });

  it("are taken out of everything the adapter says, here and in later dispatches", async () => {
    const { start, settle, outcomes, texts } = setUp((_, { onLog, onPartial }) => {
      onLog({ level: "info", message: `with ${VALUE}` });
      onPartial({ text: `streaming ${VALUE.slice(0, 5)}` });
      onPartial({ text: `${VALUE.slice(5)} done` });
      const outputs = { deep: [{ [VALUE]: Buffer.from(VALUE).toString("base64url") }] };
      return done({ status: "completed", stdout: VALUE, outputs, messages: [{ role: "tool", content: VALUE }] });
    });
    start({}, { secrets });
    await settle();
    start({ dispatchId: "dsp_later" });
    await settle();
    expect(outcomes).toHaveLength(2);
    for (const outcome of outcomes) {
      const said = JSON.stringify([outcome, callbackOf(outcome, "async"), texts]);
      expect(said).not.toContain(VALUE);
      expect(said).not.toContain(Buffer.from(VALUE).toString("base64url"));
      expect(said).toContain("[redacted:token]");
    }
    expect(texts.join("")).toContain("streaming [redacted:token] done");
  });

  it("of one organisation are not looked for in texts of another", async () => {
    const { start, settle, outcomes } = setUp(() => done({ status: "completed", stdout: VALUE }));
    start({}, { secrets, orgId: "org_1" });
    start({ dispatchId: "dsp_other" }, { orgId: "org_2" });
    await settle();
    expect(outcomes.map(({ result }) => result)).toMatchObject([{ stdout: "[redacted:token]" }, { stdout: VALUE }]);
  });
});
