import { describe, expect, it } from "vitest";
import { obstacleTo, type FundingState } from "./funding.ts";

const READY: FundingState = {
  funding: "none",
  hasArgs: true,
  isBroken: false,
  model: "gpt-5",
  isSaved: true,
  mayLaunch: true,
};

describe("who pays for trying a workflow", () => {
  it("is chosen before anything can be started", () => {
    expect(obstacleTo({ ...READY, funding: null })).toBe("Choose who pays first.");
    for (const funding of ["none", "own_key", "server"] as const) expect(obstacleTo({ ...READY, funding })).toBeNull();
  });

  it.each([
    [{ funding: "none", isBroken: true }, /problems/],
    [{ funding: "none", hasArgs: false }, /args/],
    [{ funding: "own_key", model: " " }, /model/],
    [{ funding: "server", isSaved: false }, /Save/],
    [{ funding: "server", mayLaunch: false }, /workflow:execute/],
  ] as const)("asks for what else is missing: %j", (missing, words) => {
    expect(obstacleTo({ ...READY, ...missing })).toMatch(words);
  });

  it("asks only for what the chosen way needs", () => {
    expect(obstacleTo({ ...READY, model: "", isSaved: false, mayLaunch: false })).toBeNull();
    expect(obstacleTo({ ...READY, funding: "server", hasArgs: false, model: "" })).toBeNull();
  });
});
