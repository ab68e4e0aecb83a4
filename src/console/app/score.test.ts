import { describe, expect, it } from "vitest";
import { best, scoreOf } from "./score.ts";
import { matchPath, pathTo } from "./match.ts";

describe("what the palette finds", () => {
  it("takes letters in order, and prefers starts of words and neighbours", () => {
    expect(scoreOf("Go to Runs", "xyz")).toBeNull();
    expect(scoreOf("Go to Runs", "runs")).toBeGreaterThan(scoreOf("Go to Return s", "runs") ?? 0);
    const found = best(["Go to Audit", "Approve", "Go to Approvals"], "appro", (text) => text, 5);
    expect(found).toEqual(["Approve", "Go to Approvals"]);
    expect(best(["a", "b", "c"], " ", (text) => text, 2)).toEqual(["a", "b"]);
  });
});

describe("addresses", () => {
  it.each([
    ["/runs/:id", "/runs/run_1", { id: "run_1" }],
    ["/runs/:id", "/runs/a%2Fb/", { id: "a/b" }],
    ["/runs/:id", "/runs/50%", { id: "50%" }],
    ["/workflows/:name/:tab?", "/workflows/x", { name: "x" }],
    ["/workflows/:name/:tab?", "/workflows/x/editor", { name: "x", tab: "editor" }],
    ["/", "/", {}],
    ["/runs/:id", "/runs", null],
    ["/runs/:id", "/runs/a/b", null],
    ["/runs", "/approvals", null],
  ])("%s and %s", (pattern, path, params) => {
    expect(matchPath(pattern, path)).toEqual(params);
  });

  it("are made from their patterns", () => {
    expect(pathTo("/runs/:id", { id: "a/b" })).toBe("/runs/a%2Fb");
    expect(pathTo("/workflows/:name/:tab?", { name: "x" })).toBe("/workflows/x");
    expect(pathTo("/")).toBe("/");
  });
});
