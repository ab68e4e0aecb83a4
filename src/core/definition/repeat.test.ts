import { describe, expect, it } from "vitest";
import { checkSource } from "../plan/index.ts";
import { EMPTY_CATALOG } from "./index.ts";

const check = (step: string, head = "") => checkSource(`name: w\n${head}steps:\n  - {id: a, ${step}}\n`, EMPTY_CATALOG);
const codes = (step: string, head = "") => check(step, head).problems.map(({ code, path }) => `${code} ${path}`);
const warnings = (step: string, head = "") => check(step, head).warnings.map(({ code, path }) => `${code} ${path}`);
const OUT = "command: x, outputs: {done: boolean, text: string}";

describe("repeat, as it is written", () => {
  it("is read with its defaults", () => {
    const { plan, problems } = check(`${OUT}, repeat: {until: outputs.done}`);
    expect(problems).toEqual([]);
    expect(plan?.nodes[0]?.repeat).toMatchObject({ max: 10, everyMs: null, onExhausted: "fail" });
    const all = check(`${OUT}, repeat: {until: outputs.done, max: 1000, every: 30s, on_exhausted: continue}`);
    expect(all.plan?.nodes[0]?.repeat).toMatchObject({ max: 1000, everyMs: 30_000, onExhausted: "continue" });
  });

  it.each([
    ["repeat: {max: 3}", "bad_repeat steps[0].repeat.until"],
    ["repeat: {until: outputs.done, max: 0}", "bad_repeat steps[0].repeat.max"],
    ["repeat: {until: outputs.done, max: 1001}", "bad_repeat steps[0].repeat.max"],
    ["repeat: {until: outputs.done, max: 1.5}", "bad_repeat steps[0].repeat.max"],
    ["repeat: {until: outputs.done, max: many}", "wrong_type steps[0].repeat.max"],
    ["repeat: {until: outputs.done, every: 0}", "bad_repeat steps[0].repeat.every"],
    ["repeat: {until: outputs.done, every: -5}", "bad_repeat steps[0].repeat.every"],
    ["repeat: {until: outputs.done, every: soon}", "bad_repeat steps[0].repeat.every"],
    ["repeat: {until: outputs.done, on_exhausted: stop}", "bad_enum steps[0].repeat.on_exhausted"],
    ["repeat: {until: outputs.done, times: 3}", "unknown_key steps[0].repeat.times"],
    ["repeat: {until: 'outputs.done &&'}", "bad_expression steps[0].repeat.until"],
    ["repeat: {until: outputs.dne}", "unknown_field steps[0].repeat.until"],
    ["repeat: {until: nothing.done}", "unknown_step steps[0].repeat.until"],
    ["repeat: {until: outputs.text > 3}", "type_mismatch steps[0].repeat.until"],
    ["repeat: {until: a.done}", "self_dependency steps[0].repeat.until"],
    ["repeat: 5", "wrong_type steps[0].repeat"],
    ["repeat: {until: outputs.done}, for_each: [1]", "conflicting_fields steps[0].repeat"],
    ["repeat: {until: outputs.done}, condition: round > 1", "unknown_step steps[0].condition"],
    ["while: outputs.done", "unknown_key steps[0].while"],
  ])("refuses %s", (repeat, problem) => {
    expect(codes(`${OUT}, ${repeat}`)).toEqual([problem]);
  });

  it("refuses what it has by itself, and what has nothing to repeat", () => {
    expect(codes("command: x, outputs: {rounds: integer}, repeat: {until: outputs.rounds > 1}")).toEqual([
      "bad_repeat steps[0].outputs.rounds",
    ]);
    expect(codes("set: {exhausted: 1}, repeat: {until: round > 1}")).toEqual(["bad_repeat steps[0].set.exhausted"]);
    expect(codes("approval: required, repeat: {until: round > 1}")).toEqual(["bad_repeat steps[0].repeat"]);
    expect(codes("fail: no, repeat: {until: round > 1}")).toEqual(["conflicting_fields steps[0].repeat"]);
  });

  it("says what to write instead of the words of others", () => {
    expect(check(`${OUT}, until: outputs.done`).problems[0]?.hint).toBe(
      "Write repeat: { until: outputs.done, max: 5 }.",
    );
  });
});

describe("the names of a round", () => {
  const REPEAT = "repeat: {until: outputs.done}";

  it("are known in a repeated step and nowhere else", () => {
    const command = "command: '${previous.text} ${previous.stdout} ${round}', outputs: {done: boolean, text: string}";
    expect(codes(`${command}, ${REPEAT}`)).toEqual([]);
    expect(codes(command)).toEqual(["unknown_step steps[0].command", "unknown_step steps[0].command"]);
    expect(codes(`command: x, outputs: {done: boolean}, ${REPEAT}, stdin: $previous.nope`)).toEqual([
      "unknown_field steps[0].stdin",
    ]);
  });

  it("know what a step sets, also from itself", () => {
    expect(codes("set: {n: {expr: (previous.n ?? 0) + 1}}, repeat: {until: outputs.n > 3}")).toEqual([]);
    expect(codes("set: {n: {expr: (previous.m ?? 0) + 1}}, repeat: {until: outputs.n > 3}")).toEqual([
      "unknown_field steps[0].set.n",
    ]);
    expect(codes("set: {n: 1}, repeat: {until: outputs.m}")).toEqual(["unknown_field steps[0].repeat.until"]);
  });

  it("yield to an arg of that name, with a warning", () => {
    const step = `command: '\${round}', outputs: {done: boolean}, ${REPEAT}`;
    expect(codes(step, "args: {round: 7}\n")).toEqual([]);
    expect(warnings(step, "args: {round: 7}\n")).toEqual(["shadowed_fact args.round"]);
    const { plan } = check(step, "args: {round: 7}\n");
    const body = plan?.nodes[0]?.body;
    expect(body?.kind === "step" ? body.scope.get("${round}")?.origin.kind : null).toBe("arg");
  });

  it("tell others how many rounds there were", () => {
    const after = (name: string, more = "") =>
      checkSource(
        `name: w\nsteps:\n  - {id: a, ${OUT}, repeat: {until: outputs.done${more}}}\n  - {id: b, command: '\${a.${name}}'}\n`,
        EMPTY_CATALOG,
      ).problems.map(({ code }) => code);
    expect(after("rounds")).toEqual([]);
    expect(after("text")).toEqual([]);
    expect(after("exhausted")).toEqual(["unknown_field"]);
    expect(after("exhausted", ", on_exhausted: continue")).toEqual([]);
  });
});
