import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, utf8Length } from "../base/index.ts";
import { backtest, type RecordedVerdict } from "./backtest.ts";
import type { DispatchFacts } from "./facts.ts";
import { judgeDispatch } from "./judge.ts";
import { jsonBytes } from "./json-size.ts";
import { factsFromRecord, factsText } from "./record.ts";
import { RECORDED_ARGS_BYTES_MAX, RecordText } from "./record-part.ts";
import { anyEnvelope, anyFacts, anyPolicyOf, envelope, factsOf, policyOf } from "./sample.test.ts";

/** As the store gives it back. */
function stored(facts: DispatchFacts): JsonObject {
  return JSON.parse(factsText(facts)) as JsonObject;
}

function readBack(facts: DispatchFacts): DispatchFacts {
  const read = factsFromRecord(stored(facts));
  if (read === null) throw new Error("the record does not read");
  return read;
}

const withArgs = (args: JsonObject): DispatchFacts => factsOf({ run: { ...factsOf().run, args } });

describe("facts on record", () => {
  it("are judged as they were", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(judgeDispatch(readBack(facts))).toEqual(judgeDispatch(facts));
      }),
      { numRuns: 200 },
    );
  });

  it("come back as they went, but for what no gate reads", () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const once = readBack(facts);
        const { policies, run, ...rest } = once;
        const { policies: all, run: _, ...others } = facts;
        expect(rest).toEqual(others);
        expect(all).toEqual(expect.arrayContaining([...policies]));
        if (run.argsLeftOut === undefined) expect(run.args).toEqual(facts.run.args);
        expect(readBack(once)).toEqual(once);
        expect(stored(once)).toEqual(stored(facts));
      }),
      { numRuns: 200 },
    );
  });

  it("hold a budget as it is, and what does not change of it under a name", () => {
    const names = new Map<string, string>();
    fc.assert(
      fc.property(anyEnvelope, fc.option(fc.string(), { nil: undefined }), (plain, boundBy) => {
        const fact = boundBy === undefined ? plain : { ...plain, boundBy };
        const record = new RecordText();
        record.addEnvelope(fact);
        expect(record.whole).toBe(JSON.stringify(fact));
        const { shared: name, ...counts } = JSON.parse(record.kept) as { shared: string };
        const { spentMicros, reservedMicros } = fact;
        expect(counts).toEqual({ spentMicros, reservedMicros });
        const rest = JSON.stringify({ ...fact, spentMicros: 0, reservedMicros: 0 });
        expect(record.parts).toEqual([{ name, text: rest }]);
        expect(names.get(name) ?? rest).toBe(rest);
        names.set(name, rest);
      }),
      { numRuns: 300 },
    );
    const unread = new RecordText();
    unread.addEnvelope(envelope({ spentMicros: Number.NaN }));
    unread.addEnvelope(null);
    expect(unread.whole).toMatch(/"spentMicros":null.*\}null$/);
    expect(unread.kept).toMatch(/"spentMicros":null.*\}null$/);
  });

  it("leave out prompts, instructions and policies about other agents", () => {
    const facts = factsOf({
      agent: { systemPrompt: "secret", personalityNote: "gentle", memoryProfile: { name: "long", entries: 5 } },
      policies: [
        policyOf({ name: "near", version: 4, instructions: "be brief", when: "run.depth > 2" }),
        policyOf({ name: "far", scope: "agent", scopeId: "other" }),
        policyOf({ name: "start", category: "run_creation" }),
      ],
    });
    const record = stored(facts);
    expect(JSON.stringify(record)).not.toMatch(/secret|gentle|"long"|be brief|"far"|"start"/);
    expect(record["policies"]).toMatchObject([{ name: "near", version: 4, condition: "run.depth > 2" }]);
    expect(readBack(facts).policies).toEqual([{ ...facts.policies[0], instructions: null, forbids: null }]);
  });

  it("keep args up to 4 KiB, and the names of those beyond", () => {
    // {"a":"…"} has eight bytes around the text.
    const sized = (bytes: number): JsonObject => ({ a: "x".repeat(bytes - 8) });
    const isKept = (bytes: number): boolean => readBack(withArgs(sized(bytes))).run.argsLeftOut === undefined;
    expect(isKept(RECORDED_ARGS_BYTES_MAX - 1)).toBe(true);
    expect(isKept(RECORDED_ARGS_BYTES_MAX)).toBe(true);
    expect(isKept(RECORDED_ARGS_BYTES_MAX + 1)).toBe(false);
    const run = readBack(withArgs({ small: 1, ...sized(5_000), last: "é" })).run;
    expect(run).toMatchObject({ args: { small: 1, last: "é" }, argsLeftOut: ["a"] });
    expect(readBack({ ...factsOf(), run }).run).toEqual(run);
  });

  it("count all args together, with what stands between them", () => {
    // {"a":"…","b":"…"} has fifteen bytes around the texts.
    const sized = (bytes: number): JsonObject => ({ a: "x".repeat(2_000), b: "x".repeat(bytes - 2_015) });
    const leftOut = (bytes: number) => readBack(withArgs(sized(bytes))).run.argsLeftOut;
    expect(leftOut(RECORDED_ARGS_BYTES_MAX)).toBeUndefined();
    expect(leftOut(RECORDED_ARGS_BYTES_MAX + 1)).toEqual(["b"]);
    const three = { a: "x".repeat(2_000), b: "x".repeat(2_000), c: "x".repeat(2_000) };
    expect(readBack(withArgs(three)).run.argsLeftOut).toEqual(["c"]);
  });

  it("name at most fifty args that were left out, those of an earlier record first", () => {
    const large = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`large${index}`, "x".repeat(5_000)]));
    const { run } = withArgs(large);
    const argsLeftOut = readBack({ ...factsOf(), run: { ...run, argsLeftOut: ["earlier"] } }).run.argsLeftOut;
    expect(argsLeftOut).toHaveLength(50);
    expect(argsLeftOut?.slice(0, 2)).toEqual(["earlier", "large0"]);
  });

  it("stay small whatever the args are", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ maxLength: 64 }), fc.string({ maxLength: 3_000 }), { maxKeys: 200 }),
        (args) => {
          const { run } = readBack(withArgs(args));
          expect(utf8Length(JSON.stringify(run.args))).toBeLessThanOrEqual(RECORDED_ARGS_BYTES_MAX);
          expect((run.argsLeftOut ?? []).length).toBeLessThanOrEqual(50);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("are not read when they are something else", () => {
    expect(factsFromRecord({})).toBeNull();
    expect(factsFromRecord({ ...stored(factsOf()), format: 2 })).toBeNull();
    const record = stored(factsOf({ policies: [policyOf()] }));
    const [policy] = record["policies"] as JsonObject[];
    expect(factsFromRecord({ ...record, policies: [{ ...policy, condition: "a =" }] })).toBeNull();
  });

  it("share conditions that were read before", () => {
    const cache = new Map();
    const record = stored(factsOf({ policies: [policyOf({ when: "run.depth == 0" })] }));
    const [first, second] = [factsFromRecord(record, cache), factsFromRecord(record, cache)];
    expect(first?.policies[0]?.condition).toBe(second?.policies[0]?.condition);
  });
});

describe("the size of a value", () => {
  it("is that of its JSON, up to where counting stops", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(60), (value, most) => {
        const exact = utf8Length(JSON.stringify(value));
        const counted = jsonBytes(value as Json, most);
        if (exact <= most) expect(counted).toBe(exact);
        else expect(counted).toBeGreaterThan(most);
      }),
      { numRuns: 200 },
    );
  });
});

describe("backtest", () => {
  const past = (id: string, facts: DispatchFacts): RecordedVerdict => ({
    id,
    facts,
    disposition: judgeDispatch(facts).disposition,
  });

  it("says what would have changed, with examples", () => {
    const draft = policyOf({ name: "no-depth", version: 2, when: "run.depth > 0", reason: "too deep" });
    const deep = factsOf({ run: { ...factsOf().run, depth: 1 } });
    const result = backtest(draft, [past("v1", factsOf()), past("v2", deep), past("v3", { ...deep, agent: null })]);
    expect(result).toMatchObject({ looked: 3, matched: 1, changed: 1, uncertain: 0 });
    expect(result.counts).toEqual([
      { before: "allow", after: "allow", count: 1 },
      { before: "allow", after: "block", count: 1 },
      { before: "block", after: "block", count: 1 },
    ]);
    expect(result.outcomes.map(({ id, after }) => [id, after])).toEqual([
      ["v1", "allow"],
      ["v2", "block"],
      ["v3", "block"],
    ]);
    expect(result.examples).toMatchObject([
      {
        id: "v2",
        before: "allow",
        after: "block",
        runId: "run_1",
        nodeId: "assess",
        agentId: "analyst",
        gate: "policy_rules",
        message: "policy no-depth@2 (too deep) blocks assess",
      },
    ]);
  });

  it("takes the draft in place of its earlier versions, and their grants for its own", () => {
    const asking = policyOf({ name: "ask", action: "require_approval" });
    const heldOnce = past("v1", factsOf({ policies: [asking] }));
    const grantedThen = past("v2", factsOf({ policies: [asking], grants: ["ask@1"] }));
    const same = backtest({ ...asking, version: 2 }, [heldOnce, grantedThen]);
    expect(same.changed).toBe(0);
    const gone = backtest({ ...asking, version: 2, isEnabled: false }, [heldOnce, grantedThen]);
    expect(gone.outcomes.map(({ before, after }) => `${before} ${after}`)).toEqual(["hold allow", "allow allow"]);
    expect(gone.examples[0]).toMatchObject({ gate: null, message: null });
  });

  it("marks what it cannot know, because args were left out", () => {
    const facts = readBack(withArgs({ long: "x".repeat(5_000) }));
    const draft = policyOf({ when: "run.args.long == 'y'" });
    expect(backtest(draft, [past("v1", facts)])).toMatchObject({ uncertain: 1 });
    expect(backtest(policyOf({ when: "node.id == 'y'" }), [past("v1", facts)])).toMatchObject({ uncertain: 0 });
  });

  it("finds no change in a draft that is not enforced, and keeps few examples", () => {
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 4 }), anyPolicyOf(), (facts, policy) => {
        const draft: typeof policy = { ...policy, name: "draft", enforcement: "soft" };
        expect(
          backtest(
            draft,
            facts.map((one, index) => past(`v${index}`, one)),
          ).changed,
        ).toBe(0);
      }),
      { numRuns: 100 },
    );
    const many = Array.from({ length: 21 }, (_, index) => past(`v${index}`, factsOf()));
    expect(backtest(policyOf(), many).examples).toHaveLength(20);
    expect(backtest(policyOf(), [])).toMatchObject({ looked: 0, changed: 0, counts: [], examples: [] });
  });
});
