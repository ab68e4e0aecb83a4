import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { checkAdapter, type AdapterRequest } from "../adapter/index.ts";
import { createSystemClock } from "../clock/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { createScriptAdapter } from "./script-adapter.ts";

/** So long that no thread is killed because the machine is slow. */
const options = { clock: createSystemClock(), patienceMs: 600_000 };
const adapters = [false, true].map((isSynchronous) => createScriptAdapter({ ...options, isSynchronous }));
afterAll(() => Promise.all(adapters.map((adapter) => adapter.shutdown())));
const SLOW = "const a = Array.from({ length: 1e5 }, (_, i) => i); for (let i = 0; i < 1e5; i++) a.indexOf(-1);";

function execute(message: string, inputs: JsonObject = {}, isSynchronous = false) {
  const request: AdapterRequest = {
    dispatchId: "run_1/sum/1",
    runId: "run_1",
    stepId: "sum",
    attempt: 1,
    idempotencyKey: "run_1/sum/0",
    provider: "script",
    agentId: "default",
    message,
    inputs,
    outputStrategy: "json",
    timeoutMs: null,
    context: { runId: "run_1", workflow: "order", phase: null, upstreamDigest: null },
    effects: "at_least_once",
  };
  const hooks = { signal: new AbortController().signal, onPartial: () => undefined, onLog: () => undefined };
  return adapters[isSynchronous ? 1 : 0]?.execute(request, hooks);
}

describe("the script adapter", () => {
  it.each([false, true])(
    "returns an object as outputs, anything else by the name result (%s)",
    async (isSynchronous) => {
      expect(await execute("return { sum: inputs.a + inputs.b };", { a: 1, b: 2 }, isSynchronous)).toEqual({
        status: "completed",
        stdout: '{"sum":3}',
        outputs: { sum: 3 },
        costUsd: 0,
      });
      expect(await execute("return [1];", {}, isSynchronous)).toMatchObject({
        outputs: { result: [1] },
        stdout: "[1]",
      });
      expect(await execute("", {}, isSynchronous)).toEqual({ status: "completed", outputs: {}, costUsd: 0 });
    },
  );

  it("names the place of an error, and that it is final", async () => {
    expect(await execute("const a = 1;\nthrow new Error('no price');")).toEqual({
      status: "failed",
      failure: "script_error",
      retryable: false,
      message: "Error: no price (line 2, column 16)",
      costUsd: 0,
    });
    expect(await execute("for (;;);")).toMatchObject({ failure: "script_limit", retryable: false });
  });

  it("runs the example of the docs", async () => {
    const page = readFileSync(new URL("../../docs/script.md", import.meta.url), "utf8");
    const [, code = ""] = /```js\n([^`]*)```/.exec(page) ?? [];
    const orders = [
      { customer: "ann", amount: 2 },
      { customer: "bob", amount: 3 },
      { customer: "ann", amount: 5 },
    ];
    expect(await execute(code, { orders })).toMatchObject({ outputs: { totals: { ann: 7, bob: 3 }, customers: 2 } });
  });

  it("keeps to the interface of adapters", async () => {
    const sample = (word: string) => ({ message: `return { word: ${JSON.stringify(word)} };` });
    const report = await checkAdapter(createScriptAdapter(options), {
      sample,
      slow: { message: SLOW },
      abortWithinMs: 60_000,
    });
    expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
  });
});
