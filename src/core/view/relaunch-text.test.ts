import { describe, expect, it } from "vitest";
import { relaunchText } from "./relaunch-text.ts";

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

describe("what a restarted or branched run keeps", () => {
  it("names both sides", () => {
    expect(relaunchText({ carriedOver: ["a", "b"], runsAgain: ["c"] })).toBe("carried over: a, b; runs again: c");
  });

  it("says so when one side is empty", () => {
    expect(relaunchText({ carriedOver: ["a"], runsAgain: [] })).toBe("every node is carried over, nothing runs again");
    expect(relaunchText({ carriedOver: [], runsAgain: ["a"] })).toBe("nothing is carried over, every node runs again");
  });

  it("counts what there is no room for", () => {
    expect(relaunchText({ carriedOver: ids(13), runsAgain: ids(14) })).toMatch(
      /^carried over: n0,.* n11, n12; runs again: n0,.* n11 and 2 more$/,
    );
  });
});
