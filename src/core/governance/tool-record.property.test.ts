import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, type JsonObject, utf8Length } from "../base/index.ts";
import { backtest } from "./backtest.ts";
import { factsFromRecord, factsText } from "./record.ts";
import { RECORDED_ARGS_BYTES_MAX } from "./record-part.ts";
import { REDACTED, redactArgs } from "./redacted-args.ts";
import { factsOf, policyOf } from "./sample.test.ts";
import type { CallFacts } from "./tool-fact.ts";
import { judgeTool } from "./tool-judge.ts";
import { isRoundRecord, isToolRecord, roundFactsText, toolFactsFromRecord, toolFactsText } from "./tool-record.ts";
import { anyToolFacts, anyToolPolicy, grantOf, roundFactsOf, ruleOf, toolFactsOf } from "./tool-sample.test.ts";

const stored = (facts: CallFacts): JsonObject => JSON.parse(toolFactsText(facts)) as JsonObject;

function readBack(facts: CallFacts): CallFacts {
  const read = toolFactsFromRecord(stored(facts));
  if (read === null) throw new Error("the record does not read");
  return read;
}

describe("the facts of a tool call on record", () => {
  it("are judged as they were, where nothing was left out", () => {
    fc.assert(
      fc.property(anyToolFacts, (facts) => {
        const again = readBack(facts);
        if (again.tool.argsLeftOut === undefined) expect(judgeTool(again)).toEqual(judgeTool(facts));
        expect(stored(again)).toEqual(stored(facts));
      }),
      { numRuns: 300 },
    );
  });

  it("hold no value that a manifest redacts, anywhere", () => {
    const facts = toolFactsOf({ rules: [ruleOf({ redact: ["card.number"] }), ruleOf({ redact: ["nothing.here"] })] });
    expect(toolFactsText(facts)).not.toContain("4111");
    expect(readBack(facts).tool).toMatchObject({
      args: { amount: 900, card: { number: REDACTED, owner: "Ann" } },
      argsLeftOut: ["card.number"],
    });
  });

  it("keep args up to 4 KiB, and the names of those beyond", () => {
    const room = RECORDED_ARGS_BYTES_MAX - JSON.stringify({ text: "" }).length;
    const leftOut = (bytes: number, first = "x") => {
      const text = first + "x".repeat(bytes - utf8Length(first));
      return readBack(toolFactsOf({ tool: { args: { text } } })).tool.argsLeftOut;
    };
    expect([leftOut(room - 1), leftOut(room), leftOut(room + 1)]).toEqual([undefined, undefined, ["text"]]);
    expect([leftOut(room, "é"), leftOut(room + 1, "é")]).toEqual([undefined, ["text"]]);
  });

  it("are not taken for those of a dispatch or a round, nor the other way round", () => {
    expect(factsFromRecord(stored(toolFactsOf()))).toBeNull();
    const dispatch = JSON.parse(factsText(factsOf())) as JsonObject;
    const round = JSON.parse(roundFactsText(roundFactsOf())) as JsonObject;
    expect([toolFactsFromRecord(dispatch), toolFactsFromRecord(round), factsFromRecord(round)]).toEqual([
      null,
      null,
      null,
    ]);
    expect([isToolRecord(dispatch), isRoundRecord(dispatch), isRoundRecord(round)]).toEqual([false, false, true]);
  });

  it("lose a grant whose condition cannot be read any more, and no others", () => {
    const record = stored(toolFactsOf({ grants: [grantOf({ id: "old", where: "true" }), grantOf()] }));
    const [old, other] = record["grants"] as readonly JsonObject[];
    const broken = { ...record, grants: [{ ...old, where: "((" }, other ?? {}] };
    expect(toolFactsFromRecord(broken)?.grants.map(({ id }) => id)).toEqual(["small"]);
  });
});

describe("redacting args", () => {
  const args = { card: { number: "1" }, items: [{ iban: "2", name: "a" }, { iban: "3" }, 7], list: ["4", "5"] };

  it.each([
    ["card.number", { ...args, card: { number: REDACTED } }],
    ["card", { ...args, card: REDACTED }],
    ["items.*.iban", { ...args, items: [{ iban: REDACTED, name: "a" }, { iban: REDACTED }, 7] }],
    ["items.1.iban", { ...args, items: [{ iban: "2", name: "a" }, { iban: REDACTED }, 7] }],
    ["list.*", { ...args, list: [REDACTED, REDACTED] }],
    ["*", { card: REDACTED, items: REDACTED, list: REDACTED }],
  ])("%s", (path, expected) => {
    expect(redactArgs(args, [path])).toEqual({ args: expected, redacted: [path] });
  });

  it("changes nothing where there is nothing", () => {
    for (const path of ["card.owner", "items.5", "card.number.digits", "__proto__.x", "constructor"]) {
      expect(redactArgs(args, [path])).toEqual({ args, redacted: [] });
    }
  });

  it("leaves no value behind, whatever args look like", () => {
    const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as Json);
    fc.assert(
      fc.property(value, value, (secret, open) => {
        const { args: kept } = redactArgs({ a: { secret }, open }, ["a.secret"]);
        expect(kept).toEqual({ a: { secret: REDACTED }, open });
      }),
    );
  });
});

describe("trying a draft on recorded calls", () => {
  const draft = policyOf({
    name: "large",
    category: "tool",
    when: "tool.args.amount > 500",
    action: "require_approval",
  });

  it("says what would have been held or denied", () => {
    const facts = readBack(toolFactsOf());
    const tried = backtest(draft, [{ id: "v1", about: "tool", facts, disposition: "allow" }]);
    expect(tried).toMatchObject({ looked: 1, matched: 1, changed: 1, uncertain: 0 });
    expect(tried.examples).toMatchObject([{ after: "hold", callId: "run_1/assess/0/2/0", gate: "approval_required" }]);
  });

  it("takes the place of earlier versions, and leaves what a person has approved", () => {
    const policies = [policyOf({ name: "large", category: "tool" })];
    const facts = toolFactsOf({ policies, tool: { isApproved: true } });
    const tried = backtest(draft, [{ id: "v1", about: "tool", facts, disposition: "block" }]);
    expect(tried.outcomes).toMatchObject([{ before: "block", after: "allow", isMatch: true }]);
  });

  it("is uncertain where the args it reads were not kept", () => {
    const facts = readBack(toolFactsOf({ rules: [ruleOf({ redact: ["card.number"] })] }));
    const verdict = { id: "v1", about: "tool", facts, disposition: "allow" } as const;
    expect(backtest(draft, [verdict]).uncertain).toBe(1);
    expect(backtest({ ...draft, condition: policyOf({ when: "node.id == 'x'" }).condition }, [verdict]).uncertain).toBe(
      0,
    );
  });

  it("changes nothing where the draft was in force already", () => {
    fc.assert(
      fc.property(anyToolFacts, anyToolPolicy, (base, policy) => {
        const facts = { ...base, policies: [...base.policies.filter(({ name }) => name !== policy.name), policy] };
        const { disposition } = judgeTool(facts);
        const tried = backtest(policy, [{ id: "v", about: "tool", facts, disposition }]);
        expect(tried.changed).toBe(0);
      }),
    );
  });
});
