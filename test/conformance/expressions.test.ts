import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import { checkSource } from "../../src/core/plan/index.ts";
import { runOf, workflow } from "./rig.ts";

const ARGS =
  "args: {price: {type: number, default: 12.5}, quantity: {type: integer, default: 3}, tags: {type: array, default: [a, b]}}";

describe("values in a text", () => {
  const message = (command: string): string =>
    runOf(workflow([`a {command: '${command.replaceAll("'", "''")}'}`], ARGS)).dispatch("a").request.message;

  it("are calculated", () => {
    expect(message("Pay ${price * quantity}")).toBe("Pay 37.5");
    expect(message("${join(tags, ', ')}.")).toBe("a, b.");
    expect(message("${ {n: quantity} }")).toBe('{"n":3}');
    expect(message("${quantity > 2 ? 'many' : 'few'} ${(null)}")).toBe("many ");
    expect(message("$${price * 2}")).toBe("${price * 2}");
  });

  it("fail the node when the values do not fit", () => {
    const rig = runOf(workflow(["a", "b < a {command: '${a.n * 2}'}"])).complete("a", { outputs: { n: "x" } });
    expect(rig.error("b")).toBe("expression_error");
    expect(rig.of("node.failed", "b")[0]?.errorMessage).toBe(
      "command: a.n is text and 2 is a number: * takes two numbers; write number(x) for a text (column 7)",
    );
  });

  it("fail the node when they take too much", () => {
    const rig = runOf(workflow(["a", "b < a {command: '${map(range(a.n), x => x + 1)}'}"]));
    expect(rig.complete("a", { outputs: { n: 20_000 } }).error("b")).toBe("expression_limit");
  });

  it("fail the node when there is none, and say ?? helps", () => {
    const of = (command: string) =>
      runOf(workflow(["a", `b < a {command: "${command}"}`])).complete("a", { outputs: { list: [] } });
    expect(of("${a.list[a.list.length - 1]}").error("b")).toBe("unbound_reference");
    expect(of("${a.list[-1] ?? 'none'}").dispatch("b").request.message).toBe("none");
  });

  it("of a skipped step are empty", () => {
    const rig = runOf(workflow(["z", "a < z {condition: 'z.n == 1'}", "b < z a {command: '<${(a.x)}>'}"]));
    rig.complete("z", { outputs: { n: 0 } });
    expect(rig.dispatch("b").request.message).toBe("<>");
  });

  it("make a step wait for what they read", () => {
    const rig = runOf(workflow(["a", "b {command: '${map(a.list, x => x.n + a.more)}'}"]));
    expect(rig.statuses).toMatchObject({ a: "running", b: "awaiting_dependency" });
    rig.complete("a", { outputs: { list: [{ n: 1 }], more: 2 } });
    expect(rig.dispatch("b").request.message).toBe("[3]");
  });

  it("keep their kind where they are a whole value", () => {
    const rig = runOf(
      workflow(
        ["a {workflow_ref: child, with: {sum: '${price * 2}', text: 'x ${price * 2}', list: ['${tags[1:]}']}}"],
        ARGS,
      ),
    );
    const [child] = rig.effects.filter((effect) => effect.type === "start-child");
    expect(child?.args).toEqual({ sum: 25, text: "x 25", list: [["b"]] });
  });
});

describe("conditions and criteria", () => {
  it("calculate", () => {
    const rig = runOf(workflow(["a {condition: 'price * quantity > 30'}", "b {condition: 'count(tags) > 2'}"], ARGS));
    expect(rig.statuses).toEqual({ a: "running", b: "skipped" });
  });

  it("of an instance calculate with the element", () => {
    const rig = runOf(workflow(["a {for_each: tags, condition: \"upper(item) + string(index) == 'B1'\"}"], ARGS));
    expect(rig.statuses).toMatchObject({ "a[0]": "skipped", "a[1]": "running" });
  });

  it("say when they take too much", () => {
    const rig = runOf(workflow(["a {success_criteria: ['any(range(outputs.n), x => x < 0)']}"]));
    expect(rig.complete("a", { outputs: { n: 20_000 } }).error("a")).toBe("expression_limit");
  });
});

describe("facts of the run", () => {
  it("are read like variables", () => {
    const command = "${run.id} ${run.workflow} ${run.args.price} ${run.started_at} ${keys(run.args)} ${node.attempt}";
    const rig = runOf(workflow([`a {command: '${command}', retry: {attempts: 2, backoff_ms: 1}}`], ARGS));
    const first = 'run_1 w 12.5 1970-01-01T00:16:40.000Z ["price","quantity","tags"] 1';
    expect(rig.dispatch("a").request.message).toBe(first);
    rig.fail("a").fire("retry");
    expect(rig.dispatch("a").request.message).toBe(`${first.slice(0, -1)}2`);
  });

  it("say which attempt a criterion judges", () => {
    const rig = runOf(
      workflow([
        "a {success_criteria: ['node.attempt == 2'], retry: {attempts: 2, backoff_ms: 1, retry_on: [contract_violated]}}",
      ]),
    );
    rig.complete("a").fire("retry");
    expect(rig.complete("a").status("a")).toBe("completed");
  });

  it("yield to a step of that name", () => {
    const rig = runOf(workflow(["run", "b {command: '${run.stdout}'}"])).complete("run", { stdout: "mine" });
    expect(rig.dispatch("b").request.message).toBe("mine");
  });

  it.each([
    ["run.workfow == 'w'", "unknown_field", 'Did you mean "workflow"?'],
    ["run.args.prize > 1", "unknown_field", 'Did you mean "price"?'],
    ["node.attemt > 1", "unknown_field", 'Did you mean "attempt"?'],
    ["node.attempt == 'x'", "type_mismatch", undefined],
    ["previous.x == 1", "unknown_step", undefined],
  ])("are checked with the file: %s", (condition, code, hint) => {
    const { problems } = checkSource(workflow([`a {condition: "${condition}"}`], ARGS), EMPTY_CATALOG);
    expect(problems[0]?.code).toBe(code);
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint);
  });

  it("use the args they name", () => {
    const used = checkSource(
      workflow(["a {command: '${run.args.price} ${sum([run.args.quantity])}'}"], ARGS),
      EMPTY_CATALOG,
    );
    expect(used.warnings.map(({ path }) => path)).toEqual(["args.tags"]);
  });
});

describe("names inside expressions", () => {
  it.each([
    ["filter(tagz, x => x == 'a')", "unknown_step", 'Did you mean "tags"?'],
    ["map(tags, x => y)", "unknown_step", undefined],
    ["price-quantity", "unknown_step", "To subtract, write spaces around the minus: price - quantity."],
    ["filter(each.items, x => x.scroe > 1)", "unknown_field", 'Did you mean "score"?'],
    ["{each: each.cuont}", "unknown_field", 'Did you mean "count"?'],
    ["each.items[0].score + each.items[0].note", "type_mismatch", undefined],
    ["map(each.items, x => upper(x.score))", "type_mismatch", undefined],
    ["lowr(each.items[0].note)", "unknown_function", 'Did you mean "lower"?'],
    ["matches(each.items[0].note, '(')", "bad_pattern", undefined],
  ])("%s", (expression, code, hint) => {
    const lines = ["each {for_each: tags, outputs: {score: number, note: string}}", `b {command: "\${${expression}}"}`];
    const { problems } = checkSource(workflow(lines, ARGS), EMPTY_CATALOG);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(problems[0]?.path).toBe("steps[1].command");
    if (hint !== undefined) expect(problems[0]?.hint).toBe(hint);
  });
});
