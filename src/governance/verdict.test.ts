import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../core/base/index.ts";
import type { RequestVerdict } from "../core/engine/index.ts";
import { expandRecord, judgeDispatch } from "../core/governance/index.ts";
import { factsOf, policyOf } from "../core/governance/sample.test.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun } from "./judge.ts";
import { recordOf, routingAudit } from "./verdict.ts";

const about = { runId: "run_1", at: 1 } as AboutRun;
const request = { nodeId: "a" } as RequestVerdict;
const chosen = (more: object): Gathered =>
  ({
    provider: "scripted",
    route: { kind: "found", gateway: { id: "b" }, provider: "scripted", losers: [], ...more },
  }) as unknown as Gathered;

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

describe("the audit of a route", () => {
  it("records from which gateway a node was sent elsewhere, also when no other was there to choose", () => {
    expect(routingAudit(about, request, chosen({ reroutedFrom: "a" }))).toMatchObject([
      {
        type: "routing.decided",
        resource: "gateway/b",
        run: "run_1",
        node: "a",
        detail: { losers: [], reroutedFrom: "a" },
      },
    ]);
  });

  it("records nothing where there was nothing to choose", () => {
    expect(routingAudit(about, request, chosen({}))).toEqual([]);
  });
});
