import { describe, expect, it } from "vitest";
import type { Approval } from "../../../client/index.ts";
import { byUrgency, needsReason, sameAs } from "./inbox.ts";

const approval = (id: string, more: Partial<Approval> = {}): Approval =>
  ({
    id,
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

  it("takes for the same only what asks the very same", () => {
    const all = [
      approval("a"),
      approval("b"),
      approval("c", { rendered: "Publish it now" }),
      approval("d", { choices: ["approve"] }),
    ];
    expect(sameAs(approval("a"), all).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("wants a reason for every no", () => {
    expect((["approve", "reject", "retry", "skip", "abort"] as const).filter(needsReason)).toEqual(["reject", "abort"]);
  });
});
