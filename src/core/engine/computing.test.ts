import { describe, expect, it } from "vitest";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";
import { replay } from "./index.ts";

const outputsOf = (rig: Rig, id: string) => {
  const { now } = rig.node(id);
  return now.status === "completed" ? now.outputs : now;
};

describe("a step that sets", () => {
  it("completes in the commit that made it ready: no gate, no attempt, no slot", () => {
    const rig = runOf(
      workflow(["s {set: {n: 2, twice: {expr: m * 2}}}", "t {set: {sum: '${s.twice + s.n}'}}"], "args: {m: 3}"),
    );
    expect(rig.state.status).toBe("completed");
    expect(outputsOf(rig, "s")).toEqual({ n: 2, twice: 6 });
    expect(outputsOf(rig, "t")).toEqual({ sum: 8 });
    expect(rig.effects).toEqual([]);
    expect(rig.events.map(({ type }) => type)).toEqual([
      "run.started",
      "run.status.changed",
      "node.waiting",
      "node.queued",
      "node.provenance",
      "node.completed",
      "node.queued",
      "node.provenance",
      "node.provenance",
      "node.completed",
      "run.status.changed",
      "run.completed",
    ]);
    expect(
      rig
        .of("node.provenance", "t")
        .map(({ sourceOutputPath, targetInputPath }) => [sourceOutputPath, targetInputPath]),
    ).toEqual([
      ["outputs.twice", "set.sum"],
      ["outputs.n", "set.sum"],
    ]);
  });

  it("keeps types, fills texts, and nests", () => {
    const rig = runOf(
      workflow(
        [
          `s {set: {list: '\${xs}', text: 'a \${xs[0]} b', nested: {deep: ['\${xs[1]}', {n: '\${xs.length}'}]}, quoted: {value: '\${xs}'}, none: null}}`,
        ],
        "args: {xs: [1, two]}",
      ),
    );
    expect(outputsOf(rig, "s")).toEqual({
      list: [1, "two"],
      text: "a 1 b",
      nested: { deep: ["two", { n: 2 }] },
      quoted: "${xs}",
      none: null,
    });
  });

  it("declares what it sets: variables for others, in the order of the plan", () => {
    const rig = runOf(workflow(["s {set: {topic: tea}}", "a < s {command: 'about ${topic}'}"]));
    expect(rig.dispatch("a").request.message).toBe("about tea");
    expect(rig.fail("a").of("run.failed")[0]?.snapshot?.variables).toEqual({ topic: "tea" });
  });

  it("does not wait for a place, and takes none", () => {
    const rig = runOf(workflow(["a", "s {set: {n: 1}}", "t < s {set: {n: 2}}", "z < t"], "max_parallel: 1"));
    expect([rig.status("a"), rig.status("s"), rig.status("t"), rig.status("z")]).toEqual([
      "running",
      "completed",
      "completed",
      "queued",
    ]);
  });

  it("fails with what cannot be calculated, and its policy applies", () => {
    const rig = runOf(workflow(["s {set: {n: {expr: a.x + 1}}}"], "args: {a: {type: object}}"), {
      args: { a: { x: {} } },
    });
    expect(rig.of("node.failed")[0]).toMatchObject({ errorCode: "expression_error" });
    const skipped = runOf(workflow(["s {set: {n: '${a.b}'}, on_failure: skip}"], "args: {a: {type: object}}"), {
      args: { a: {} },
    });
    expect([skipped.status("s"), skipped.state.status]).toEqual(["skipped", "completed"]);
    const big = runOf(workflow(["s {set: {a: '${t}', b: '${t}'}}"], "args: {t: {type: string}}"), {
      args: { t: "x".repeat(LIMITS.expressionResultBytesMax / 2) },
    });
    expect(big.error("s")).toBe("expression_limit");
  });

  it("runs per element, skips elements, and waits for an approval like any other", () => {
    const rig = runOf(
      workflow(
        ["s {for_each: xs, condition: item > 1, set: {n: {expr: item * 10}, i: '${index}'}}"],
        "args: {xs: [1, 2, 3]}",
      ),
    );
    expect(outputsOf(rig, "s")).toEqual({ items: [null, { n: 20, i: 1 }, { n: 30, i: 2 }], count: 3, failed: 0 });
    const gated = runOf(workflow(["s {approval: required, set: {n: 1}}"]));
    expect(gated.status("s")).toBe("blocked");
    gated.answer("s", "approve");
    expect(outputsOf(gated, "s")).toEqual({ n: 1 });
  });

  it("settles 500 nodes at most for one input; the rest follow at once", () => {
    const count = LIMITS.computedNodesMax * 2 + 1;
    const lines = Array.from({ length: count }, (_, index) => `s${index} {set: {n: ${index}}}`);
    const rig = new Rig(workflow(lines)).start();
    const done = () => rig.state.counts.completed;
    expect(done()).toBe(LIMITS.computedNodesMax);
    const timers = () => rig.effects.flatMap((effect) => (effect.type === "set-timer" ? [effect] : []));
    expect(timers()).toEqual([
      { type: "set-timer", timer: { kind: "continue", eventId: expect.any(Number) }, dueAt: rig.now },
    ]);
    const [first] = timers();
    if (first === undefined) throw new Error("no timer");
    // A run that is loaded again finds what is left.
    expect(replay(rig.state.plan, "run_1", rig.events).counts.queued).toBe(LIMITS.computedNodesMax + 1);
    rig.submit({ type: "timer", timer: first.timer });
    expect(done()).toBe(LIMITS.computedNodesMax * 2);
    const second = timers().at(-1);
    if (second === undefined) throw new Error("no timer");
    rig.submit({ type: "timer", timer: second.timer });
    expect([done(), rig.state.status]).toEqual([count, "completed"]);
    expect(rig.submit({ type: "timer", timer: second.timer }).events).toEqual([]);
  });

  it("at the limit needs no second input", () => {
    const lines = Array.from({ length: LIMITS.computedNodesMax }, (_, index) => `s${index} {set: {n: ${index}}}`);
    const rig = new Rig(workflow(lines)).start();
    expect([rig.state.status, rig.effects]).toEqual(["completed", []]);
  });

  it("is calculated again after a rewind", () => {
    const rig = runOf(workflow(["s {set: {n: 1}}", "a < s"])).complete("a");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect([rig.status("s"), rig.node("s").epoch, rig.status("a")]).toEqual(["completed", 1, "running"]);
  });
});

describe("a step that ends the run", () => {
  it("cancels it with a reason, and everything that is left", () => {
    const rig = runOf(
      workflow(["a", "b", "stop < b {cancel: 'nothing to do for ${who}'}", "z < a"], "args: {who: ann}"),
    );
    rig.complete("b");
    expect(rig.state.status).toBe("cancelled");
    expect(rig.of("run.cancelled")[0]).toMatchObject({ reason: "nothing to do for ann" });
    expect(outputsOf(rig, "stop")).toEqual({ reason: "nothing to do for ann" });
    expect([rig.status("a"), rig.status("z")]).toEqual(["cancelled", "cancelled"]);
    expect(rig.effects.some(({ type }) => type === "cancel-dispatch")).toBe(true);
  });

  it("may complete it instead", () => {
    const rig = runOf(workflow(["a", "stop {cancel: {as: completed}}"]));
    expect(rig.of("run.ending")[0]).toEqual({ as: "completed", reason: "ended by stop" });
    expect([rig.state.status, rig.status("a")]).toEqual(["completed", "cancelled"]);
    expect(rig.of("run.completed")[0]).toMatchObject({ reason: "ended by stop" });
  });

  it("fails it with a code and a message of the author's, whatever runs beside it", () => {
    const rig = runOf(
      workflow(
        ["a", "first", "b < first {fail: {code: order_refused, message: 'order ${n} is refused'}}", "c < b"],
        "args: {n: 7}",
      ),
    );
    rig.complete("first");
    expect(rig.of("node.failed", "b")[0]).toMatchObject({
      errorCode: "order_refused",
      errorMessage: "order 7 is refused",
    });
    expect([rig.status("a"), rig.status("c")]).toEqual(["running", "failed"]);
    rig.complete("a");
    expect(rig.of("run.failed")[0]).toMatchObject({ errorCode: "order_refused", reason: "order 7 is refused" });
    const silent = runOf(workflow(["b {fail: {code: order_refused, message: ''}}"]));
    expect(silent.of("node.failed", "b")[0]).toMatchObject({ errorMessage: "ended by b" });
    expect(silent.of("run.failed")[0]).toMatchObject({ errorCode: "order_refused", reason: "ended by b" });
    expect(runOf(workflow(["b {fail: no}"])).of("run.failed")[0]).toMatchObject({
      errorCode: "failed_by_step",
      reason: "no",
    });
  });

  it("is skipped by its condition like any other", () => {
    const rig = runOf(workflow(["stop {condition: 'false', fail: no}"]));
    expect([rig.status("stop"), rig.state.status]).toEqual(["skipped", "completed"]);
  });
});

describe("outputs of a run", () => {
  it("are found when it completes, from all its steps", () => {
    const rig = runOf(
      workflow(
        ["a {outputs: {n: number}}", "s < a {set: {twice: {expr: a.n * 2}}}"],
        "args: {who: ann}\noutputs: {sum: {expr: twice + a.n}, whose: '${who}', all: s.outputs.twice, text: {value: '${twice}', type: string}}",
      ),
    ).complete("a", { outputs: { n: 2 } });
    expect(rig.of("run.completed")[0]?.outputs).toEqual({ sum: 6, whose: "ann", all: 4, text: "4" });
    expect(rig.state.outputs).toEqual({ sum: 6, whose: "ann", all: 4, text: "4" });
    expect(replay(rig.state.plan, "run_1", rig.events).outputs).toEqual(rig.state.outputs);
  });

  it("are null where a step did not run, and are not asked for their type then", () => {
    const rig = runOf(
      workflow(
        ["a {condition: 'false', set: {n: 1}}", "b {set: {n: 2}}"],
        "outputs: {a: {value: '${a.n}', type: number}, first: '${a.n ?? b.n}', text: 'n=${a.n}'}",
      ),
    );
    expect(rig.of("run.completed")[0]?.outputs).toEqual({ a: null, first: 2, text: "n=" });
  });

  it("fail a run that completed when they cannot be found", () => {
    const rig = runOf(workflow(["a"], "outputs: {n: '${a.nope}'}")).complete("a");
    expect(rig.of("run.failed")[0]).toMatchObject({
      errorCode: "outputs_error",
      reason: "outputs.n: nothing has the value ${a.nope}",
    });
    expect([rig.state.status, rig.status("a")]).toEqual(["failed", "completed"]);
    const typed = runOf(workflow(["a {set: {t: word}}"], "outputs: {n: {value: '${a.t}', type: number}}"));
    expect(typed.of("run.failed")[0]).toMatchObject({ errorCode: "outputs_error" });
  });

  it("are not looked for in a run that does not complete, and once more after it was opened again", () => {
    const failed = runOf(workflow(["a"], "outputs: {n: '${a.n}'}")).fail("a");
    expect(failed.of("run.failed")[0]?.errorCode).not.toBe("outputs_error");
    failed.submit({ type: "recover" });
    failed.complete("a", { outputs: { n: 1 } });
    expect(failed.of("run.completed")[0]?.outputs).toEqual({ n: 1 });
  });
});

describe("inputs", () => {
  const request = (line: string, head = "") => runOf(workflow([line], head)).dispatch("a").request;

  it("are literals, texts, calculations, maps and lists", () => {
    const line = `a {command: '\${method} \${amount}', inputs: {method: POST, url: 'https://x/\${n}', amount: {expr: n * 2}, body: {labels: ['\${n}', fixed]}, one: '\${n}', off: false, typed: {expr: n + 1, type: integer}}}`;
    expect(request(line, "args: {n: 3}")).toMatchObject({
      message: "POST 6",
      inputs: {
        method: "POST",
        url: "https://x/3",
        amount: 6,
        body: { labels: [3, "fixed"] },
        one: 3,
        off: false,
        typed: 4,
      },
    });
  });

  it("must fit what is declared of them", () => {
    const rig = runOf(workflow(["a {inputs: {n: {expr: 'n + 1', maximum: 3, type: number}}}"], "args: {n: 3}"));
    expect(rig.error("a")).toBe("input_contract_violation");
  });

  it("may be changed by the person who approves", () => {
    const rig = runOf(
      workflow(["a {approval: required, command: 'pay ${amount}', inputs: {amount: {expr: n * 2}}}"], "args: {n: 3}"),
    );
    expect(rig.answer("a", "approve", { modifications: { inputs: { amount: 1 } } }).refusal).toBeUndefined();
    expect(rig.dispatch("a").request).toMatchObject({ message: "pay 1", inputs: { amount: 1 } });
  });

  it("are passed through, whatever the agent returns", () => {
    const rig = runOf(workflow(["a {inputs: {m: POST}}"])).complete("a", { outputs: { m: "GET", x: 1 } });
    expect(outputsOf(rig, "a")).toEqual({ m: "POST", x: 1 });
  });
});

describe("for_each", () => {
  it.each([
    ["an expression", "'filter(xs, x => x > 1)'", "args: {xs: [1, 2, 3]}", [2, 3]],
    ["an expression in braces", "'${range(0, 2)}'", "", [0, 1]],
    ["a map with an expression", "{expr: 'xs[1:]'}", "args: {xs: [1, 2, 3]}", [2, 3]],
    ["a literal list", "[a, '${xs[0]}', {b: 1}]", "args: {xs: [7]}", ["a", 7, { b: 1 }]],
    ["a path", "xs", "args: {xs: [4]}", [4]],
  ])("takes %s", (_, list, head, items) => {
    const rig = runOf(workflow([`s {for_each: ${list}, set: {v: '\${item}'}}`], head));
    expect(outputsOf(rig, "s")).toMatchObject({ items: items.map((v) => ({ v })) });
  });

  it("fails on what is no list, cannot be calculated, or has more elements than it may", () => {
    const error = (list: string, more = "") =>
      runOf(workflow([`s {for_each: ${list}${more}, set: {v: 1}}`], "args: {o: {type: object}}"), {
        args: { o: {} },
      }).of("node.failed")[0];
    expect(error("o.a")).toMatchObject({ errorCode: "expression_error", errorMessage: "for_each: o.a is not a list" });
    expect(error("'map(o.a, x => x)'")).toMatchObject({ errorCode: "expression_error" });
    expect(error("[1, 2]", ", max_items: 1")).toMatchObject({ errorCode: "too_many_items" });
    expect(error("[1, 2]", ", max_items: 2")).toBeUndefined();
  });
});

describe("on_failure in full", () => {
  const step = (rule: string) => runOf(workflow([`a {on_failure: ${rule}}`], "args: {o: {default: {n: 1}}}"));

  it("tries again only what its condition wants", () => {
    const rule = "{retry: {attempts: 3, if: \"error.code == 'provider_error' and error.attempts < 2\"}, then: skip}";
    const rig = step(rule).fail("a", "provider_error");
    expect(rig.status("a")).toBe("retrying");
    rig.fire("retry", "a").fail("a", "provider_error");
    expect(rig.node("a").now).toMatchObject({ status: "skipped", reason: "on_failure" });
    expect(step(rule).fail("a", "timeout").status("a")).toBe("skipped");
  });

  it("knows the class of a failure, and asks a person in the end", () => {
    const rig = step("{retry: {attempts: 2, if: \"error.class == 'provider_rate_limit'\"}, then: escalate}");
    rig.fail("a", "provider_rate_limit");
    expect(rig.status("a")).toBe("retrying");
    expect(step("{then: escalate}").fail("a", "provider_error").status("a")).toBe("blocked");
  });

  it("does not try again when its condition cannot be decided", () => {
    const rig = step("{retry: {attempts: 3, if: 'error.code > o.n'}}");
    expect(rig.fail("a", "provider_error").state.status).toBe("failed");
  });
});

describe("a script", () => {
  it("is dispatched without a gate, and answers as any other", () => {
    const asked: string[] = [];
    const rig = runOf(
      workflow(
        ["a {script: 'return {sum: inputs.n + `${1}`}', inputs: {n: '${n}'}, outputs: {sum: number}}"],
        "args: {n: 1}",
      ),
      {
        judge: ({ nodeId }) => void asked.push(nodeId),
      },
    );
    expect(asked).toEqual([]);
    expect(rig.of("node.started")[0]).toMatchObject({
      provider: "script",
      executionPath: "edge",
      verdictId: null,
      agentId: null,
    });
    expect(rig.dispatch("a")).toMatchObject({
      route: { provider: "script", executionPath: "edge" },
      request: { message: "return {sum: inputs.n + `${1}`}", inputs: { n: 1 }, outputStrategy: "json" },
    });
    rig.complete("a", { outputs: { sum: "3" } });
    expect(outputsOf(rig, "a")).toEqual({ sum: 3, n: 1 });
  });
});
