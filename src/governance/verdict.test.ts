import { describe, expect, it } from "vitest";
import type { RequestVerdict } from "../core/engine/index.ts";
import type { Gathered } from "./facts.ts";
import type { AboutRun } from "./judge.ts";
import { routingAudit } from "./verdict.ts";

const about = { runId: "run_1", at: 1 } as AboutRun;
const request = { nodeId: "a" } as RequestVerdict;
const chosen = (more: object): Gathered =>
  ({
    provider: "scripted",
    route: { kind: "found", gateway: { id: "b" }, provider: "scripted", losers: [], ...more },
  }) as unknown as Gathered;

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
