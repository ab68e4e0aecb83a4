import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import { checkSource } from "../plan/index.ts";
import { labelsOf } from "./index.ts";

const SOURCE = `
name: refund
args: { id: {type: string}, amount: 5, note: "" }
labels:
  customer: "\${args.id}"
  again: "\${id}"
  size: "\${amount > 100 ? 'large' : 'small'}"
  team: payments
  both: "\${run.workflow}/\${run.args.id}"
  empty: "\${note}"
  fixed: 7
steps:
  - { id: a, command: x }
`;

describe("the labels of a run", () => {
  const { plan, problems, warnings } = checkSource(SOURCE, EMPTY_CATALOG);
  const of = (args: Record<string, string | number>, given = {}) => {
    if (plan === null) throw new Error("it does not compile");
    return labelsOf(plan, { runId: "run_1", workflow: "refund", args: { note: "", ...args } }, given);
  };

  it("are filled with what it is given; args they read are used", () => {
    expect([problems, warnings]).toEqual([[], []]);
    expect(of({ id: "4711", amount: 500 })).toEqual({
      customer: "4711",
      again: "4711",
      size: "large",
      team: "payments",
      both: "refund/4711",
      fixed: "7",
    });
  });

  it("are left out without a value, and never fail a run", () => {
    expect(Object.keys(of({ amount: 1 }))).toEqual(["size", "team", "both", "fixed"]);
    expect(of({ id: `a\n\0${"b".repeat(500)}`, amount: "x" })["customer"]).toBe(`a  ${"b".repeat(197)}`);
  });

  it("are empty in the place of what is not there, inside a text, and JSON where there is more than a text", () => {
    expect(of({ amount: 1 })["both"]).toBe("refund/");
    const { plan: other } = checkSource(
      "name: w\nargs: { a: { type: object }, b: { type: array } }\n" +
        "labels: { whole: '${a}', part: '<${a.x}|${a.y}|${b}>', deep: '${a.x.z}', flag: '${a.ok}', sum: '${a.x + 1}' }\n" +
        "steps: [{ id: s, command: x }]\n",
      EMPTY_CATALOG,
    );
    const facts = { runId: "run_1", workflow: "w", args: { a: { x: 1, y: null, ok: false }, b: [2] } };
    expect(labelsOf(other ?? { labels: {} }, facts)).toEqual({
      whole: '{"x":1,"y":null,"ok":false}',
      part: "<1||[2]>",
      flag: "false",
      sum: "2",
    });
  });

  it("are so many at most, and those of the starter are never the ones that are left out", () => {
    const given = Object.fromEntries(Array.from({ length: LIMITS.labelsMax - 1 }, (_, index) => [`l${index}`, "x"]));
    const labels = of({ id: "1", amount: 1 }, given);
    expect(Object.keys(labels)).toHaveLength(LIMITS.labelsMax);
    expect(labels).toMatchObject(given);
  });

  it("are what the starter says, where it says it", () => {
    expect(of({ id: "1", amount: 1 }, { customer: "vip", extra: "yes" })).toMatchObject({
      customer: "vip",
      extra: "yes",
    });
  });

  it("read only fields that an arg or a fact has", () => {
    const args = "args: { order: { type: object, properties: { id: { type: string } } } }";
    const problemsOf = (label: string): readonly string[] =>
      checkSource(
        `name: w\n${args}\nlabels: { l: "${label}" }\nsteps: [{ id: a, command: x }]\n`,
        EMPTY_CATALOG,
      ).problems.map(({ message }) => message);
    expect(problemsOf("${order.id}/${args.order.id}/${run.args.order.id}/${run.workflow.length}")).toEqual([]);
    expect(problemsOf("${order.di}")).toEqual(['${order.di}: order has no field "di".']);
    expect(problemsOf("${args.ordre}")).toEqual(['${args.ordre}: args has no field "ordre".']);
    expect(problemsOf("${run.id.x}")).toEqual(['${run.id.x}: run.id is text, which has no field "x".']);
    expect(problemsOf("${run.started_at}")).toEqual(['${run.started_at}: run has no field "started_at".']);
  });
});
