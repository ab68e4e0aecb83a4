import { describe, expect, it } from "vitest";
import { matchPath, pathTo } from "./match.ts";

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
