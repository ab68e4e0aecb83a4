import { describe, expect, it } from "vitest";
import { checkSource } from "../plan/index.ts";
import { EMPTY_CATALOG } from "./index.ts";

const check = (concurrency: string, args = "args: { who: ann, order: { type: object } }\n") =>
  checkSource(`name: w\n${args}concurrency: ${concurrency}\nsteps:\n  - { id: a, command: go }\n`, EMPTY_CATALOG);
const codes = (concurrency: string) => check(concurrency).problems.map(({ code, path }) => `${code} ${path}`);

describe("concurrency, as it is written", () => {
  it("is read with its defaults", () => {
    expect(check("{ key: who }").plan?.concurrency).toMatchObject({ limit: 1, whenFull: "queue" });
    const all = check("{ key: 'order.id', limit: 1000, when_full: cancel_old }");
    expect(all.plan?.concurrency).toMatchObject({ limit: 1_000, whenFull: "cancel_old" });
    expect(checkSource("name: w\nsteps: [{ id: a, command: go }]\n", EMPTY_CATALOG).plan?.concurrency).toBeNull();
  });

  it.each(["{ key: \"'fixed'\" }", "{ key: 'deploy-${who}' }", "{ key: run.workflow }", "{ key: run.args.who }"])(
    "takes %s",
    (concurrency) => expect(codes(concurrency)).toEqual([]),
  );

  it.each([
    ["{ limit: 2 }", "bad_concurrency concurrency.key"],
    ["{ key: who, limit: 0 }", "bad_concurrency concurrency.limit"],
    ["{ key: who, limit: 1001 }", "bad_concurrency concurrency.limit"],
    ["{ key: who, limit: 1.5 }", "bad_concurrency concurrency.limit"],
    ["{ key: 7 }", "bad_concurrency concurrency.key"],
    ["{ key: '' }", "bad_concurrency concurrency.key"],
    ["{ key: 'who +' }", "bad_concurrency concurrency.key"],
    ["{ key: 'deploy-${who' }", "bad_concurrency concurrency.key"],
    ["{ key: whom }", "bad_concurrency concurrency.key"],
    ["{ key: a.text }", "bad_concurrency concurrency.key"],
    ["{ key: run.cost }", "bad_concurrency concurrency.key"],
    ["{ key: run.id.length.x }", "bad_concurrency concurrency.key"],
    ["{ key: run.args.whom }", "bad_concurrency concurrency.key"],
    ["{ key: 'deploy-${run.args.whom}' }", "bad_concurrency concurrency.key"],
    ["{ key: who, when_full: wait }", "bad_enum concurrency.when_full"],
    ["{ key: who, group: x }", "unknown_key concurrency.group"],
    ["who", "wrong_type concurrency"],
  ])("refuses %s", (concurrency, problem) => {
    expect(codes(concurrency)).toEqual([problem]);
  });

  it("says what was meant, and how a fixed text is written", () => {
    expect(check("{ key: whom }").problems[0]?.hint).toBe('Did you mean "who"?');
    expect(check("{ key: production }").problems[0]?.hint).toBe(`For a fixed text write '"production"'.`);
  });

  it("reads only fields that an arg has", () => {
    const args = "args: { order: { type: object, properties: { customer: { type: string } } } }\n";
    expect(check("{ key: order.customer }", args).problems).toEqual([]);
    for (const key of ["order.custmer", "run.args.order.custmer"]) {
      const [problem, ...others] = check(`{ key: ${key} }`, args).problems;
      expect(problem).toMatchObject({ code: "bad_concurrency", hint: 'Did you mean "customer"?' });
      expect(others).toEqual([]);
    }
  });

  it("only warns of an unknown field in a version that was saved before fields were checked", () => {
    const source =
      "name: w\nargs: { who: ann }\nconcurrency: { key: run.args.whom }\nsteps: [{ id: a, command: '${who}' }]\n";
    const { problems, warnings } = checkSource(source, EMPTY_CATALOG, { isStored: true });
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([
      { code: "bad_concurrency", message: 'run.args.whom: run.args has no field "whom".' },
    ]);
  });

  it("uses the args it reads", () => {
    const warned = (key: string) => check(`{ key: ${key} }`).warnings.map(({ code, path }) => `${code} ${path}`);
    expect(warned("who")).toEqual(["unused_arg args.order"]);
    expect(warned("run.args.order.id")).toEqual(["unused_arg args.who"]);
    expect(warned("run.args")).toEqual([]);
  });
});
