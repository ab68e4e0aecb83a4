import { describe, expect, it } from "vitest";
import { best, scoreOf } from "./score.ts";

describe("what the palette finds", () => {
  it("takes letters in order, and prefers starts of words and neighbours", () => {
    expect(scoreOf("Go to Runs", "xyz")).toBeNull();
    expect(scoreOf("Go to Runs", "runs")).toBeGreaterThan(scoreOf("Go to Return s", "runs") ?? 0);
    const found = best(["Go to Audit", "Approve", "Go to Approvals"], "appro", (text) => text, 5);
    expect(found).toEqual(["Approve", "Go to Approvals"]);
    expect(best(["a", "b", "c"], " ", (text) => text, 2)).toEqual(["a", "b"]);
  });
});
