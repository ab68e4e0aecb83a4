import { describe, expect, it } from "vitest";
import { runOf } from "./rig.ts";

describe("a run of many nodes", () => {
  it("says the same number of things for each of 4,000 nodes beside each other", () => {
    const ids = Array.from({ length: 4_000 }, (_, index) => `n${index}`);
    const steps = [{ id: "root", command: "go" }, ...ids.map((id) => ({ id, command: "go", depends_on: ["root"] }))];
    // As JSON, which is read in a tenth of the time.
    const rig = runOf(JSON.stringify({ name: "w", max_parallel: 4_000, steps })).complete("root");
    const found = ids.map((id) => {
      const before = rig.events.length;
      rig.complete(id);
      return rig.events.length - before;
    });
    expect(new Set(found.slice(0, -1))).toEqual(new Set([found[0]]));
    expect(rig.state.status).toBe("completed");
  });
});
