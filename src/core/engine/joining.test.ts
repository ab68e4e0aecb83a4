import { describe, expect, it } from "vitest";
import { HOLD, Rig, runOf } from "../../../test/conformance/rig.ts";
import { type RequestVerdict, restartFrom, type Verdict } from "./index.ts";

const steps = (...lines: readonly string[]): string =>
  `name: w\nsteps:\n${lines.map((line) => `  - {${line}}`).join("\n")}\n`;
const run = (...lines: readonly string[]): Rig => runOf(steps(...lines));

const ABC = ["id: a, command: a", "id: b, command: b", "id: c, command: c"] as const;
const ANY = "id: j, command: 'j ${a.stdout}|${b.stdout}|${c.stdout}', join: any";
const TWO = ANY.replace("any", "2");

const reason = (rig: Rig, nodeId: string) => rig.of("node.skipped", nodeId)[0]?.reason;
const counted = (rig: Rig) => rig.of("node.queued", "j").flatMap((payload) => payload.counted ?? []);

const holdInstance = ({ nodeId }: RequestVerdict): Verdict | undefined => (nodeId === "j[0]" ? HOLD : undefined);

function expectFolded(rig: Rig): void {
  expect(rig.state.nodes).toEqual(rig.replayed().nodes);
}

describe("join", () => {
  it("starts with the first, to which the others read as skipped for ever", () => {
    const rig = run(...ABC, `${ANY}, on_failure: retry_once`);
    rig.complete("b");
    expect([rig.status("j"), counted(rig)]).toEqual(["running", ["b"]]);
    expect(rig.dispatch("j").request.message).toBe("j |b done|");
    rig.complete("a").fail("j");
    expect(rig.dispatch("j").request.message).toBe("j |b done|");
    rig.complete("j");
    expect(rig.state.ending).toBeNull();
    rig.complete("c");
    expect(rig.state.status).toBe("completed");
    expectFolded(rig);
  });

  it("says that it is queued, and for whom it did not wait", () => {
    const rig = run(...ABC, ANY).complete("b");
    expect(rig.of("node.queued", "j")[0]).toEqual({ nodeId: "j", waitingReason: "queued", counted: ["b"] });
  });

  it("has handled the failure it waited for once it has completed, and not by being reached", () => {
    const handler = (end: (rig: Rig) => Rig): Rig => {
      const rig = run(ABC[0], ABC[1], "id: j, command: j, join: any, depends_on: [{step: a, on: failure}, b]");
      rig.fail("a", "provider_auth");
      expect([rig.status("j"), counted(rig), rig.of("node.handled")]).toEqual(["running", ["a"], []]);
      return end(rig).complete("b");
    };
    const completed = handler((rig) => rig.complete("j"));
    expect(completed.of("node.handled")).toEqual([{ nodeId: "a", attempt: 1, by: "j" }]);
    expect(completed.state.status).toBe("completed");
    const failed = handler((rig) => rig.fail("j", "provider_refused"));
    expect(failed.of("node.handled")).toEqual([]);
    expect(failed.state).toMatchObject({ status: "failed", errorCode: "provider_auth" });
  });

  it("waits for as many as it names, the first that completed", () => {
    const rig = run(...ABC, TWO);
    rig.complete("c");
    expect(rig.status("j")).toBe("awaiting_dependency");
    rig.complete("a");
    expect(rig.error("j")).toBe(null);
    expect([counted(rig), rig.dispatch("j").request.message]).toEqual([["c", "a"], "j a done||c done"]);
    expectFolded(rig);
  });

  it("that was reached is not below a failure of the ancestor of a parent it did not count", () => {
    const held = "id: k, command: k, depends_on: [j], approval: required";
    const rig = run(
      "id: x, command: x",
      "id: a, command: a, depends_on: [x]",
      "id: b, command: b",
      held,
      "id: j, command: j, join: any, depends_on: [a, b]",
    );
    rig.complete("b").complete("j");
    expect(rig.status("k")).toBe("blocked");
    rig.fail("x");
    expect([rig.status("k"), rig.of("node.cancelled", "k")[0]?.reason]).toEqual(["cancelled", "run_halted"]);
    expect(rig.error("a")).toBe("upstream_failure");
    expectFolded(rig);
  });

  it("does without a parent that failed, before and after it was reached", () => {
    const rig = run(...ABC, ANY, "id: d, command: d, depends_on: [a]");
    rig.fail("a");
    expect([rig.state.ending, reason(rig, "d")]).toEqual([null, "parent_failed"]);
    rig.complete("b");
    expect(rig.of("node.handled")).toEqual([{ nodeId: "a", attempt: 1, by: "j" }]);
    rig.fail("c").complete("j");
    expect(rig.of("node.handled")).toHaveLength(2);
    expect(rig.state.status).toBe("completed");
    expectFolded(rig);
  });

  it("is skipped when it cannot be reached any more, and then the failure counts", () => {
    const rig = run(...ABC, TWO);
    rig.fail("a", "provider_auth");
    expect(rig.status("j")).toBe("awaiting_dependency");
    rig.fail("b");
    expect(reason(rig, "j")).toBe("join_unreachable");
    expect(rig.of("run.ending")).toMatchObject([{ as: "failed", reason: "a failed", errorCode: "provider_auth" }]);
    rig.complete("c");
    expect([rig.state.status, rig.state.errorCode]).toEqual(["failed", "provider_auth"]);
    expectFolded(rig);
  });

  it("does not fail with a parent it did without when that halts the run, also in a backoff", () => {
    const retry = "retry: {attempts: 2, backoff_ms: 1000, max_backoff_ms: 1000, retry_on: [provider_error]}";
    const rig = run(
      ...ABC,
      "id: d, command: d, depends_on: [a]",
      `id: j, command: j, join: any, depends_on: [b, d], ${retry}`,
    );
    rig.complete("b").fail("j");
    expect(rig.status("j")).toBe("retrying");
    rig.fail("a");
    expect([rig.error("d"), rig.status("j"), rig.status("c")]).toEqual(["upstream_failure", "cancelled", "running"]);
    rig.fire("retry", "j").complete("c");
    expect([rig.state.status, rig.status("j")]).toEqual(["failed", "cancelled"]);
    expectFolded(rig);
  });

  it("is skipped and nothing more when its parents were", () => {
    const skipped = (id: string) => `id: ${id}, command: x, condition: 1 == 2`;
    const rig = run(skipped("a"), skipped("b"), ABC[2], TWO);
    expect(reason(rig, "j")).toBe("join_unreachable");
    rig.complete("c");
    expect(rig.state.status).toBe("completed");
  });

  it("judges its own condition once it is reached", () => {
    const rig = run(...ABC, `${ANY}, condition: a.stdout == 'x'`);
    rig.complete("b");
    expect([reason(rig, "j"), counted(rig)]).toEqual(["condition_false", ["b"]]);
    rig.complete("a").fail("c");
    expect(rig.state.status).toBe("completed");
  });

  it("counts what each dependency waits for", () => {
    const rig = run(
      ABC[0],
      ABC[1],
      "id: j, command: '${a.error.code}${b.error.code}', join: any, depends_on: [{step: a, on: failure}, {step: b, on: failure}]",
    );
    rig.complete("a");
    expect(rig.status("j")).toBe("awaiting_dependency");
    rig.fail("b");
    expect([counted(rig), rig.dispatch("j").request.message]).toEqual([["b"], "provider_error"]);
    rig.complete("j");
    expect(rig.state.status).toBe("completed");
    const both = new Rig(
      steps(
        ABC[0],
        ABC[1],
        "id: j, command: j, join: any, depends_on: [{step: a, on: failure}, {step: b, on: failure}]",
      ),
    ).start();
    both.fail("a").fail("b");
    expect([both.status("j"), both.state.ending]).toEqual(["running", null]);
    both.complete("j");
    expect([both.of("node.handled").length, both.state.status]).toEqual([2, "completed"]);
    expectFolded(both);
    const none = run(
      ABC[0],
      ABC[1],
      "id: j, command: j, join: any, depends_on: [{step: a, on: failure}, {step: b, on: failure}]",
    );
    none.complete("a").complete("b");
    expect(reason(none, "j")).toBe("no_failure");
  });

  it("that waits for a failure and for more cannot be reached when neither comes", () => {
    const rig = run(
      ABC[0],
      "id: b, command: b, condition: 1 == 2",
      "id: j, command: j, join: any, depends_on: [{step: a, on: failure}, b]",
    );
    rig.complete("a");
    expect(reason(rig, "j")).toBe("join_unreachable");
  });

  it("counts no more than it needs where several have settled at once", () => {
    const rig = run(
      "id: a, set: {n: 1}",
      "id: b, set: {n: 2}",
      "id: c, set: {n: 3}",
      "id: j, command: j, join: 2, depends_on: [a, b, c]",
    );
    expect(counted(rig)).toEqual(["a", "b"]);
  });

  it("gives instances the same sight as their node", () => {
    const rig = run(...ABC, `${ANY}, for_each: ['x']`);
    rig.complete("a").complete("b");
    expect(rig.dispatch("j[0]").request.message).toBe("j a done||");
    const held = runOf(steps(...ABC, `${ANY}, for_each: ['x'], max_parallel: 1`), { judge: holdInstance });
    held.complete("a").complete("b");
    expect(held.of("approval.requested", "j[0]")[0]?.subject?.parents).toEqual({ a: { stdout: "a done" } });
  });

  it("says of a list only what was handed over", () => {
    const handed = (rig: Rig) => rig.of("node.provenance", "j").map((given) => given.sourceNodeId);
    const lists = ABC.slice(0, 2).map((line) => `${line}, outputs: {list: array}`);
    const uncounted = run(...lists, "id: j, command: j, join: any, for_each: $a.outputs.list, depends_on: [a, b]");
    uncounted.complete("b", { outputs: { list: [1] } });
    expect([uncounted.error("j"), handed(uncounted)]).toEqual(["expression_error", []]);
    const mixed = run(...ABC, "id: j, command: 'j ${item}', join: any, for_each: ['${a.stdout}', '${b.stdout}']");
    mixed.complete("b");
    expect(["j[0]", "j[1]"].map((id) => mixed.dispatch(id).request.message)).toEqual(["j ", "j b done"]);
    expect(handed(mixed)).toEqual(["b"]);
  });

  it("keeps a parent it did without from its block as well", () => {
    const rig = run(
      "id: a, command: a, outputs: {x: string}",
      "id: b, command: b, outputs: {x: string}",
      "id: j, join: any, on_failure: retry_once, steps: [{id: c, command: '${a.x} ${b.x}'}]",
    );
    rig.complete("b", { outputs: { x: "B" } }).complete("a", { outputs: { x: "A" } });
    const [child] = rig.of("child.started");
    const { childRunId = "" } = child ?? {};
    const report = { status: "failed", errorCode: "provider_error", outputs: {}, costMicros: 0 } as const;
    const tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
    rig.submit({ type: "child_finished", nodeId: "j", attempt: 1, childRunId, tokens, ...report });
    const started = rig.effects.filter((effect) => effect.type === "start-child");
    expect(started.map(({ args }) => args)).toEqual([{ b: { x: "B" } }, { b: { x: "B" } }]);
  });
});

describe("race", () => {
  const RACE = `${ANY}, race: true`;

  it("stops whatever is still open among the direct parents", () => {
    const rig = run(
      "id: first, command: f",
      "id: a, command: a, depends_on: [first]",
      "id: b, command: b",
      "id: c, approval: required",
      "id: d, wait: {event: x}",
      "id: e, command: e, for_each: [1, 2]",
      "id: f, workflow_ref: other",
      "id: j, command: j, join: any, race: true, depends_on: [a, b, c, d, e, f]",
    );
    rig.complete("b");
    const lost = ["a", "c", "d", "e", "f"];
    expect(lost.map((id) => [rig.status(id), reason(rig, id)])).toEqual(lost.map(() => ["skipped", "race_lost"]));
    expect(rig.of("approval.resolved")).toMatchObject([{ nodeId: "c", status: "cancelled" }]);
    expect([rig.status("e[0]"), rig.status("e[1]"), rig.status("first")]).toEqual([
      "cancelled",
      "cancelled",
      "running",
    ]);
    const calledOff = rig.effects.filter(({ type }) => type === "cancel-dispatch" || type === "cancel-child");
    expect(new Set(calledOff.map((effect) => "nodeId" in effect && effect.nodeId))).toEqual(
      new Set(["e[0]", "e[1]", "f"]),
    );
    expect(rig.status("j")).toBe("running");
    rig.complete("j").complete("first");
    expect(rig.state.status).toBe("running");
    const [child] = rig.of("child.started");
    const report = {
      status: "cancelled",
      outputs: {},
      tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 },
    } as const;
    rig.submit({
      type: "child_finished",
      nodeId: "f",
      attempt: 1,
      childRunId: child?.childRunId ?? "",
      costMicros: 0,
      ...report,
    });
    expect(rig.state.status).toBe("completed");
    expect(rig.replayed().counts).toEqual(rig.state.counts);
  });

  it("takes nothing from a loser that answers late, but its cost", () => {
    const rig = run(...ABC, RACE);
    rig.complete("a").complete("b", { costMicros: 5 });
    expect([rig.status("b"), rig.state.costMicros]).toEqual(["skipped", 5]);
    rig.complete("j");
    expect(rig.state.status).toBe("completed");
  });
});

describe("a join that is run again", () => {
  it("stays done when only others run again, and its counted parents are carried with it", () => {
    const source = steps(...ABC, ANY, "id: k, command: k, depends_on: [j, c]");
    const rig = runOf(source);
    rig.complete("b").fail("a").complete("j").complete("c").fail("k");
    const carried = restartFrom(rig.state);
    expect(carried.map((one) => [one.nodeId, "counted" in one ? one.counted : undefined])).toEqual([
      ["b", undefined],
      ["c", undefined],
      ["j", ["b"]],
    ]);
    const again = new Rig(source).start({ carried });
    expect(again.statuses).toMatchObject({ a: "running", j: "completed", k: "running" });
    again.fail("a").fail("k");
    expect(again.of("node.handled")).toEqual([{ nodeId: "a", attempt: 1, by: "j" }]);
    expect(restartFrom(again.state).map(({ nodeId }) => nodeId)).toEqual(["b", "c", "j"]);
    expect(restartFrom(again.state, "b").map(({ nodeId }) => nodeId)).toEqual(["c"]);
    expectFolded(again);
  });

  it("lets all run a race again", () => {
    const rig = run(...ABC, `${ANY}, race: true`);
    rig.complete("b").complete("j");
    expect(restartFrom(rig.state, "j").map(({ nodeId }) => nodeId)).toEqual(["a", "b", "c"]);
    expect(restartFrom(rig.state, "b")).toEqual([]);
  });

  it("keeps what was enough through a rewind, and decides again when that goes", () => {
    const rig = run(...ABC, ANY);
    rig.complete("b").complete("j");
    const done = rig.state.lastEventId;
    rig.complete("a").complete("c");
    rig.submit({ type: "rewind", eventId: done, isConsumed: false });
    expect(rig.statuses).toEqual({ a: "running", b: "completed", c: "running", j: "completed" });
    rig.submit({ type: "rewind", eventId: 3, isConsumed: false });
    rig.complete("c");
    expect([counted(rig), rig.status("j")]).toEqual([["b", "c"], "running"]);
    expectFolded(rig);
  });
});

describe("a join in a lens graph", () => {
  const graph = (config: string): string =>
    `format: lens-graph/v1
name: g
nodes:
  - {id: a, config: {template_body: a}}
  - {id: b, config: {template_body: b}}
  - {id: j, config: {template_body: "j [[x]]", merge: concat, ${config}}}
edges:
  - {id: e1, source_node_id: a, target_node_id: j, target_param_label: x}
  - {id: e2, source_node_id: b, target_node_id: j, target_param_label: x, condition: {type: contains, value: done}}
`;

  it("starts with the first, and does without one that failed", () => {
    const rig = runOf(graph("join: any, race: true"));
    rig.complete("b");
    expect([rig.dispatch("j").request.message, reason(rig, "a"), counted(rig)]).toEqual([
      "j b done",
      "race_lost",
      ["b"],
    ]);
    const failing = runOf(graph("join: any"));
    failing.fail("a");
    expect(failing.status("j")).toBe("awaiting_dependency");
    failing.complete("b").complete("j");
    expect([failing.state.status, failing.node("a").isHandled]).toEqual(["completed", true]);
    expectFolded(failing);
  });

  it("is skipped when it cannot be reached, or no counted edge lets it run", () => {
    const rig = runOf(graph("join: 2"));
    rig.fail("a");
    expect(reason(rig, "j")).toBe("join_unreachable");
    const closed = runOf(graph("join: any"));
    closed.complete("b", { stdout: "no" });
    expect(reason(closed, "j")).toBe("condition_false");
    closed.complete("a");
    expect(closed.status("j")).toBe("skipped");
  });

  it("is checked like one of a step", () => {
    expect(() => runOf(graph("join: 3"))).toThrow("nodes[2].config.join: bad_join");
    expect(() => runOf(graph("race: true"))).toThrow("nodes[2].config.race: bad_join");
  });
});
