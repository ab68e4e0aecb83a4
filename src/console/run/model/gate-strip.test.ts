import { describe, expect, it } from "vitest";
import { isOpaqueTurn } from "./gate-strip.ts";

describe("what a node does inside", () => {
  const of = (turns: string, more: object = {}) => isOpaqueTurn({ disposition: "allow", facts: { turns }, ...more });

  it("is unseen where its adapter reports no calls and the node may run", () => {
    expect(of("opaque")).toBe(true);
    expect(of("judged")).toBe(false);
    expect(of("durable")).toBe(false);
    expect(of("opaque", { disposition: "block" })).toBe(false);
    expect(of("opaque", { callId: "run_1/a/0/0/0" })).toBe(false);
  });
});
