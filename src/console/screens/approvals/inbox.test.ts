import { describe, expect, it } from "vitest";
import type { Approval } from "../../../client/index.ts";
import { needsReason } from "../../parts/approval-texts.ts";
import { byUrgency, runsAlike, sameAs } from "./inbox.ts";

const approval = (id: string, more: Partial<Approval> = {}): Approval =>
  ({
    id,
    runId: "run_1",
    nodeId: "publish",
    source: "policy",
    summary: "publish",
    rendered: "Publish it",
    choices: ["approve", "reject"],
    agentId: null,
    expiresAt: "2026-11-20T00:00:00Z",
    ...more,
  }) as Approval;

describe("the inbox", () => {
  it("puts what expires first first, and equals in a fixed order", () => {
    const soon = approval("c", { expiresAt: "2026-11-16T00:00:00Z" });
    expect(byUrgency([approval("b"), approval("a"), soon]).map(({ id }) => id)).toEqual(["c", "a", "b"]);
  });

  it("takes for the same only what asks the very same in the same workflow", () => {
    const all = [
      approval("a"),
      approval("b", { runId: "run_2" }),
      approval("c", { rendered: "Publish it now" }),
      approval("d", { choices: ["approve"] }),
      approval("e", { runId: "run_of_another" }),
      approval("f", { runId: "run_unknown" }),
    ];
    const workflows = new Map([
      ["run_1", "letters"],
      ["run_2", "letters"],
      ["run_of_another", "payments"],
    ]);
    const [first = approval("a")] = all;
    expect(sameAs(first, all, workflows).map(({ id }) => id)).toEqual(["a", "b"]);
    expect(sameAs(first, all, new Map()).map(({ id }) => id)).toEqual(["a"]);
    expect(runsAlike(first, all)).toEqual(["run_1", "run_2", "run_of_another", "run_unknown"]);
    expect(runsAlike(approval("z", { rendered: "Another" }), all)).toEqual([]);
  });

  it("wants a reason for every no", () => {
    expect((["approve", "reject", "retry", "skip", "abort"] as const).filter(needsReason)).toEqual(["reject", "abort"]);
  });
});
