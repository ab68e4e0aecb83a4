import { describe, expect, it } from "vitest";
import { checkSource } from "../plan/index.ts";
import { EMPTY_CATALOG } from "./index.ts";

const check = (...lines: readonly string[]) =>
  checkSource(`name: w\nsteps:\n${lines.map((line) => `  - {${line}}`).join("\n")}\n`, EMPTY_CATALOG);
const codes = (...lines: readonly string[]) => check(...lines).problems.map(({ code, path }) => `${code} ${path}`);

const A = "id: a, command: a";
const B = "id: b, command: b";

describe("dependencies by outcome", () => {
  it("are kept only where they say more than success", () => {
    const { plan } = check(A, B, "id: c, command: c, depends_on: [{step: a}, b, {step: b, on: failure}]");
    expect(plan).toBeNull();
    const nodes = check(A, B, "id: c, command: c, depends_on: [{step: a}, {step: b, on: failure}]").plan?.nodes ?? [];
    expect(
      nodes.map(({ id, outcomes, tolerantDependents, hasFailureHandler }) => [
        id,
        [...outcomes],
        tolerantDependents,
        hasFailureHandler,
      ]),
    ).toEqual([
      ["a", [], [], false],
      ["b", [], [2], true],
      ["c", [[1, "failure"]], [], false],
    ]);
  });

  it("name a step once, and one that can fail", () => {
    const on = (depends: string, a = A) => codes(a, B, `id: c, command: c, depends_on: [${depends}]`);
    expect(on("a, {step: a, on: failure}")).toEqual(["bad_handler steps[2].depends_on[1].step"]);
    expect(on("{step: a, on: settled}, a")).toEqual(["bad_handler steps[2].depends_on[1]"]);
    expect(on("a, a")).toEqual([]);
    const FAILURE = "{step: a, on: failure}";
    expect(on(FAILURE, `${A}, on_failure: skip`)).toEqual(["bad_handler steps[2].depends_on[0].on"]);
    expect(on(FAILURE, `${A}, on_failure: {then: skip}`)).toEqual(["bad_handler steps[2].depends_on[0].on"]);
    expect(on(FAILURE, "id: a, fail: {code: no, message: no}")).toEqual(["bad_handler steps[2].depends_on[0].on"]);
    expect(on("{step: a, on: settled}", `${A}, on_failure: skip`)).toEqual([]);
    expect(on("{step: x, on: failure}")).toEqual(["unknown_step steps[2].depends_on[0].step"]);
    expect(on("{step: c, on: failure}")).toEqual(["self_dependency steps[2].depends_on[0].step"]);
    expect(on("{step: a, on: error}")).toEqual(["bad_enum steps[2].depends_on[0].on"]);
    expect(on("{on: failure}")).toEqual(["missing_field steps[2].depends_on[0].step"]);
    expect(on("{step: a, when: failure}")).toEqual(["unknown_key steps[2].depends_on[0].when"]);
    expect(on("5")).toEqual(["wrong_type steps[2].depends_on[0]"]);
  });

  it("close a circle like any other", () => {
    expect(
      codes("id: a, command: a, depends_on: [{step: b, on: failure}]", "id: b, command: b, depends_on: [a]")[0],
    ).toContain("cycle");
  });

  it("see the fields of an error, and no others", () => {
    const reading = (text: string, on = "failure", a = A) =>
      codes(a, `id: c, command: '${text}', depends_on: [{step: a, on: ${on}}]`);
    const closed = `${A}, outputs: {x: string}`;
    for (const field of ["code", "message", "attempts", "class"]) {
      expect(reading(`\${a.error.${field}}`, "failure", closed)).toEqual([]);
      expect(reading(`\${a.error.${field}}`, "settled", closed)).toEqual([]);
    }
    expect(reading("${a.error.kode}")).toEqual(["unknown_field steps[1].command"]);
    expect(reading("${a.error.code}", "success", closed)).toEqual(["unknown_field steps[1].command"]);
    const own = `${A}, outputs: {error: string}`;
    expect(reading("${a.error}", "failure", own)).toEqual([]);
    expect(reading("${a.error.code}", "failure", own)).toEqual(["unknown_field steps[1].command"]);
  });
});

describe("join", () => {
  const join = (fields: string) => codes(A, B, `id: c, command: c, depends_on: [a, b], ${fields}`);

  it("is a number up to the number of dependencies, those read included", () => {
    for (const fine of ["join: all", "join: any", "join: 1", "join: 2", "join: any, race: true", "race: false"]) {
      expect(join(fine)).toEqual([]);
    }
    for (const bad of ["0", "-1", "1.5", "some", "[a]", "true"]) {
      expect(join(`join: ${bad}`)).toEqual(["bad_join steps[2].join"]);
      expect(join(`join: ${bad}, race: true`)).toEqual(["bad_join steps[2].join"]);
    }
    expect(join("join: 3")).toEqual(["bad_join steps[2].join"]);
    expect(codes(A, B, "id: c, command: '${a.stdout}', depends_on: [b], join: 2")).toEqual([]);
    expect(codes("id: c, command: c, join: any")).toEqual(["bad_join steps[0].join"]);
    expect(join("join: 3")).toHaveLength(1);
  });

  it("is what race needs", () => {
    expect(join("race: true")).toEqual(["bad_join steps[2].race"]);
    expect(join("join: all, race: true")).toEqual(["bad_join steps[2].race"]);
  });

  it("is printed with the plan", () => {
    const nodes = check(A, B, "id: c, command: c, depends_on: [a, b], join: any, race: true").plan?.nodes ?? [];
    expect(nodes.map(({ join: each }) => each)).toEqual([null, null, { count: 1, isRace: true }]);
  });
});
