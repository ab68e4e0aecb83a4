import { describe, expect, it } from "vitest";
import { suggest } from "./index.ts";

describe("suggest", () => {
  it.each([
    ["comand", ["command", "condition"], "command"],
    ["dependsOn", ["depends_on"], "depends_on"],
    ["nmae", ["name", "names"], "name"],
    ["ab", ["abc"], "abc"],
    ["ab", ["abcd"], undefined],
    ["abcd", ["abcdef"], undefined],
    ["abcde", ["abcdefg"], "abcdefg"],
    ["abcde", ["abcdefgh"], undefined],
    ["stpe", ["step"], "step"],
    ["", ["a"], undefined],
    ["c", ["a", "b"], undefined],
    ["A", ["a", "b"], "a"],
    ["x".repeat(129), ["x".repeat(128)], undefined],
    ["anything", [], undefined],
  ])("%j among %j is %j", (word, words, expected) => {
    expect(suggest(word, words)).toBe(expected);
  });

  it("takes the nearest, and of equals the first by code unit, whatever the order", () => {
    expect(suggest("buildx", ["build", "buildxyz"])).toBe("build");
    expect(suggest("cat", ["hat", "bat", "rat"])).toBe("bat");
    expect(suggest("cat", ["rat", "bat", "hat"])).toBe("bat");
  });
});
