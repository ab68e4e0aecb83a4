import { describe, expect, it } from "vitest";
import { ApiProblem } from "../../client/index.ts";
import { placedProblems, readSpecText, segmentsOf } from "./spec-text.ts";

describe("the text of a spec", () => {
  it("reads a map, and nothing else", () => {
    expect(readSpecText("scope: global\n").spec).toEqual({ scope: "global" });
    expect(readSpecText("- a\n")).toMatchObject({ spec: null, problems: [{ code: "wrong_type", line: 1 }] });
    expect(readSpecText("a: [\n").spec).toBeNull();
    expect(readSpecText("").spec).toBeNull();
  });

  it.each([
    ["condition", ["condition"]],
    ["[0].spec.members[1].lane", ["members", 1, "lane"]],
    ["members[12]", ["members", 12]],
    ["", []],
    ["[0].name", ["name"]],
  ])("reads the path %j", (path, segments) => {
    expect(segmentsOf(path)).toEqual(segments);
  });

  it("puts the problems of the server at their lines", () => {
    const { tree } = readSpecText("scope: global\nmembers:\n  - agent: a\n  - lane: x\n");
    if (tree === null) throw new Error("not read");
    const body = { problems: [{ code: "wrong_type", message: "m", path: "members[1].lane" }] };
    const problem = new ApiProblem(body, new Response("", { status: 422 }));
    expect(placedProblems(problem, tree)).toMatchObject([{ line: 4, column: 5, code: "wrong_type" }]);
    expect(placedProblems(new Error("no"), tree)).toBeNull();
    expect(placedProblems(new ApiProblem({}, new Response("", { status: 403 })), tree)).toBeNull();
  });
});
