import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Manifest, ORG } from "../../../test/integration/support/governed.ts";
import { GovernedMachine } from "../../../test/integration/support/governed-machine.ts";
import { memoryText } from "./memory-entries.ts";

const ada = (spec: object = { memory_profile: "long" }): Manifest => ["Agent", "ada", { trust_level: 5, ...spec }];
const source = (...steps: readonly object[]): string =>
  JSON.stringify({ name: "w", steps: steps.map((step) => ({ command: "go", agent: "ada", ...step })) });

async function remembered({ store }: GovernedMachine, agentId = "ada") {
  const { data } = await store.listMemory(ORG, agentId, { limit: 100, cursor: null });
  return data.map(({ nodeId, attempt, text }) => `${nodeId} ${attempt}: ${text}`).sort();
}

describe("what is kept of an answer", () => {
  it.each([
    [499, 499, false],
    [500, 500, false],
    [501, 500, true],
  ])("of %i characters is %i", (length, kept, isCut) => {
    const cut = memoryText("\u{1F600}".repeat(length));
    expect(Array.from(cut).filter((point) => point === "\u{1F600}")).toHaveLength(kept);
    expect(cut.endsWith("…")).toBe(isCut);
  });

  it.each([
    ["  plain \n", "plain"],
    ["a\r\nb\tc\u000bd\u0085e\u2028f", "a \nb c d e f"],
    ["\u0000a\u0007\u001b[31mb\u007f\u009b", "a[31mb"],
    ["\u202eevil\u2066 text\u200f", "evil text"],
    ["half \ud800 a pair", "half \ufffd a pair"],
    ["${args.secret} [[x]]", "${args.secret} [[x]]"],
    ["\u0000 \u0001", ""],
  ])("%j is %j", (text, kept) => {
    expect(memoryText(text)).toBe(kept);
  });

  it("can always be stored, shows, is short, and is the same when kept again", () => {
    fc.assert(
      fc.property(fc.uint16Array({ maxLength: 700 }), (units) => {
        const kept = memoryText(String.fromCharCode(...units));
        expect(kept).not.toMatch(/[^\P{Cc}\n]|\p{Surrogate}|\p{Bidi_Control}/u);
        expect(Array.from(kept).length).toBeLessThanOrEqual(501);
        if (!kept.endsWith("…")) expect(memoryText(kept)).toBe(kept);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a commit that completes nodes", () => {
  it("keeps one entry for each attempt that completed one, also with instances, retries and JSON", async () => {
    const machine = await GovernedMachine.open(
      [ada(), ["Agent", "bob", {}]],
      JSON.stringify({
        default: "echo",
        nodes: {
          a: { stdout: "first\u0007" },
          list: { outputs: { items: [1, 2] } },
          "each[0]": { stdout: "zero" },
          "each[1]": { stdout: "one" },
          again: [{ fail: "provider_error" }, { stdout: "fixed" }],
          reply: { outputs: { kind: "noun", score: 7 } },
          silent: { stdout: " " },
          other: { stdout: "bob's" },
          broken: { fail: "provider_auth" },
          twice: { stdout: "once", duplicate_callback: 3 },
        },
      }),
    );
    const runId = await machine.launch(
      source(
        { id: "a" },
        { id: "list", agent: "bob", outputs: { items: "array" } },
        { id: "each", for_each: "list.outputs.items", depends_on: ["list"] },
        { id: "again", on_failure: "retry", retry: { attempts: 2, backoff_ms: 10 } },
        { id: "reply", outputs: { kind: "string", score: "integer" } },
        { id: "silent" },
        { id: "other", agent: "bob" },
        { id: "broken", on_failure: "skip" },
        { id: "twice" },
      ),
    );
    expect(await machine.end(runId)).toBe("completed");
    expect(await remembered(machine)).toEqual([
      "a 1: first",
      "again 2: fixed",
      "each[0] 1: zero",
      "each[1] 1: one",
      'reply 1: {"kind":"noun","score":7}',
      "twice 1: once",
    ]);
    expect(await remembered(machine, "bob")).toEqual([]);
    const [entry] = (await machine.store.listMemory(ORG, "ada", { limit: 1, cursor: null })).data;
    expect(entry).toMatchObject({ agentId: "ada", profile: "long", workflow: "w", runId });
    expect(machine.troubles).toEqual([]);
  });

  it("keeps nothing of a gate, or of what was carried over; and a rewind takes nothing back", async () => {
    const machine = await GovernedMachine.open([ada()], JSON.stringify({ default: "echo", nodes: {} }));
    const text = source({ id: "a" }, { id: "ok", approval: "required", depends_on: ["a"], command: undefined });
    const runId = await machine.launch(text);
    await machine.pass(50);
    const asked = await machine.store.listApprovals(ORG, "pending", { limit: 1, cursor: null });
    await machine.submit(runId, {
      type: "approval",
      approvalId: asked.data[0]?.id ?? "",
      decision: "approve",
      by: "me",
    });
    expect(await machine.end(runId)).toBe("completed");
    expect(await remembered(machine)).toEqual(["a 1: go"]);
    const { driver } = machine.replica();
    const run = await machine.store.getRun(ORG, runId);
    const again = await machine.wait(
      driver.launch({
        orgId: ORG,
        workflow: "w",
        version: 1,
        definitionHash: run?.definitionHash ?? "",
        args: {},
        trigger: "test",
        startedBy: null,
        source: { runId, kind: "restart", fromNode: "ok" },
      }),
    );
    expect(again.kind).toBe("started");
    expect(await remembered(machine)).toEqual(["a 1: go"]);
    await machine.submit(runId, { type: "rewind", eventId: 2, isConsumed: false });
    await machine.pass(50);
    expect(await remembered(machine)).toEqual(["a 1: go", "a 2: go"]);
  });

  it("keeps nothing for an agent without a memory, from the moment it has none", async () => {
    const machine = await GovernedMachine.open([ada({})]);
    expect(await machine.end(await machine.launch(source({ id: "a" })))).toBe("completed");
    expect(await remembered(machine)).toEqual([]);
    await machine.register([ada({ memory_profile: { name: "short", entries: 1 } })]);
    await machine.pass(2_000);
    expect(await machine.end(await machine.launch(source({ id: "b" })))).toBe("completed");
    await machine.register([ada({})]);
    await machine.pass(2_000);
    expect(await machine.end(await machine.launch(source({ id: "c" })))).toBe("completed");
    expect(await remembered(machine)).toEqual(["b 1: go"]);
  });
});
