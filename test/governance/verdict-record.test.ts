import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/core/base/index.ts";
import type { RequestVerdict } from "../../src/core/engine/index.ts";
import { expandRecord, judgeDispatch } from "../../src/core/governance/index.ts";
import { factsOf, policyOf } from "../../src/core/governance/sample.test.ts";
import type { Gathered } from "../../src/governance/facts.ts";
import { recordOf } from "../../src/governance/verdict.ts";

describe("a verdict as it is kept", () => {
  const kept = (facts: ReturnType<typeof factsOf>) =>
    recordOf(
      judgeDispatch(facts),
      { nodeId: "a", nextAttempt: 1 } as RequestVerdict,
      { facts } as Gathered,
      1,
      "vrd_1",
    );

  it.each([
    ["allows", factsOf({ policies: [policyOf({ name: "a" }), policyOf({ name: "b" })] })],
    ["blocks", factsOf({ gateway: null, noGateway: "none is there" })],
  ])("has the hash of its whole text, when it %s", (_, facts) => {
    const { bodyText, shared = [] } = kept(facts);
    const look = (name: string): Json | undefined => {
      const part = shared.find((one) => one.name === name);
      return part === undefined ? undefined : (JSON.parse(part.text) as Json);
    };
    const { hash, ...body } = expandRecord(JSON.parse(bodyText) as JsonObject, look);
    expect(shared.length).toBeGreaterThan(0);
    expect(bodyText.length).toBeLessThan(JSON.stringify(body).length);
    expect(hash).toBe(`sha256:${createHash("sha256").update(JSON.stringify(body)).digest("hex")}`);
  });
});
