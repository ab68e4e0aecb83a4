import { describe, expect, it } from "vitest";
import { isJsonObject, type Json } from "../base/index.ts";
import type { Known } from "../expression/index.ts";
import { policyFacts, policySubject } from "./index.ts";
import { toolSubject } from "./policy-subject.ts";
import { envelope, factsOf } from "./sample.test.ts";
import { toolFactsOf } from "./tool-sample.test.ts";

/** Every path into a value, but not into args. */
function pathsOf(value: Json, base = ""): readonly string[] {
  if (!isJsonObject(value) || base === ".run.args" || base === ".tool.args") return [base];
  return Object.entries(value).flatMap(([key, member]) => pathsOf(member, `${base}.${key}`));
}

function knownPaths(known: Known, base = ""): readonly string[] {
  if (known.kind !== "object" || known.isOpen) return [base];
  return [...known.fields].flatMap(([key, member]) => knownPaths(member, `${base}.${key}`));
}

describe("facts of policies", () => {
  it("are exactly what policies are given", () => {
    const facts = factsOf({ agent: { rateLimit: { count: 1, perSeconds: 1 } }, envelopes: [envelope()] });
    expect(knownPaths(policyFacts("guardrail")).toSorted()).toEqual(pathsOf(policySubject(facts)).toSorted());
  });

  it("are exactly what policies about tool calls are given", () => {
    const facts = toolFactsOf({ agent: { rateLimit: { count: 1, perSeconds: 1 } }, tool: { args: {} } });
    expect(knownPaths(policyFacts("tool")).toSorted()).toEqual(pathsOf(toolSubject(facts)).toSorted());
  });

  it("are only the run before there is one", () => {
    expect([...policyFacts("run_creation").fields.keys()]).toEqual(["run"]);
  });
});
