import { describe, expect, it } from "vitest";
import { HOLD, runOf, type RigOptions, workflow } from "../../../test/conformance/rig.ts";
import type { JsonObject } from "../base/index.ts";

/** What step `s` is sent when a person has approved it with other inputs. */
const sent = (line: string, inputs: JsonObject, head = "", before: readonly string[] = []) => {
  const rig = runOf(workflow([...before, line], head));
  for (const id of before.map((each) => each[0] ?? ""))
    rig.complete(id, { outputs: { x: 1, y: 2 }, stdout: `${id} said` });
  expect(rig.answer("s", "approve", { modifications: { inputs } }).refusal).toBeUndefined();
  return rig.dispatch("s").request;
};
const ASK = "approval: required";

describe("a value that a person gave", () => {
  it("stands for the arg of its name, and for no other", () => {
    const line = `s {${ASK}, command: '\${n} \${m}'}`;
    expect(sent(line, { n: 7 }, "args: {n: 1, m: 2}").message).toBe("7 2");
  });

  it("stands for the step it names, and for no other part or step", () => {
    const line = `s < a b {${ASK}, command: '\${a} \${a.stdout} \${b} \${x}'}`;
    expect(sent(line, { a: { x: 7 } }, "args: {x: 0}", ["a", "b"]).message).toBe('{"x":7} a said {"x":1,"y":2} 0');
  });

  it("stands for the parts of what it names, the nearest first", () => {
    const line = `s < a {${ASK}, command: '\${a} \${a.x} \${a.y}'}`;
    expect(sent(line, { a: { x: 7 }, "a.x": 8 }, "", ["a"]).message).toBe('{"x":7} 8 2');
    expect(sent(line, { "a.x": 8, a: { x: 7, y: 9 } }, "", ["a"]).message).toBe('{"x":7,"y":9} 8 9');
  });

  it("stands for the calculated input of its name, and for no other", () => {
    const line = `s {${ASK}, command: '\${x} \${y}', inputs: {x: {expr: n * 2}, y: {expr: n * 3}}}`;
    expect(sent(line, { x: 1 }, "args: {n: 3}")).toMatchObject({ message: "1 9", inputs: { x: 1, y: 9 } });
  });

  it("stands for every other name of the same value, of which the nearest counts", () => {
    const line = `s {${ASK}, command: '\${x} \${y.k}', inputs: {x: '\${o}', y: '\${o}'}}`;
    const head = "args: {o: {default: {k: 2}}}";
    expect(sent(line, { x: { k: 1 } }, head)).toMatchObject({ message: '{"k":1} 1', inputs: { y: { k: 1 } } });
    expect(sent(line, { x: { k: 1 }, y: { k: 3 } }, head).message).toBe('{"k":1} 3');
  });

  it("stands for what is known of the run", () => {
    const line = `s {${ASK}, command: '\${run.id} \${run.workflow}'}`;
    expect(sent(line, { "run.id": "mine" }).message).toBe("mine w");
  });

  it("may be false, none or empty", () => {
    const line = `s {${ASK}, command: '<\${n}> <\${m}> <\${o}>'}`;
    const given = sent(line, { n: 0, m: false, o: "" }, "args: {n: 1, m: true, o: text}");
    expect(given.message).toBe("<0> <false> <>");
  });
});

describe("a value that a person gave a step with rounds", () => {
  const rounds = (command: string, inputs: JsonObject, more = "") => {
    const rig = runOf(workflow(["a", `s < a {${ASK}, command: '${command}', repeat: {until: round == 1}${more}}`]));
    rig.complete("a", { outputs: { x: 1 }, stdout: "a said" });
    expect(rig.answer("s", "approve", { modifications: { inputs } }).refusal).toBeUndefined();
    rig.complete("s[0]", { outputs: { x: "of the first" }, stdout: "one" });
    return ["s[0]", "s[1]"].map((id) => rig.dispatch(id).request.message);
  };

  it("stands for the round before, and for no other part of it", () => {
    expect(rounds("${previous} ${previous.stdout}", { previous: { x: 7 } })).toEqual(['{"x":7} ', '{"x":7} one']);
    expect(rounds("${previous.x} ${previous.stdout}", { "previous.stdout": "none" })).toEqual([
      " none",
      "of the first none",
    ]);
  });

  it("for a step does not stand for the round before, nor the other way", () => {
    expect(rounds("${a.x} ${previous.x}", { "a.x": 7 })).toEqual(["7 ", "7 of the first"]);
    expect(rounds("${a.x} ${previous.x}", { "previous.x": 7 })).toEqual(["1 7", "1 7"]);
    expect(rounds("${a} ${previous}", { a: { x: 7 } })[0]).toBe('{"x":7} ');
    expect(rounds("${a} ${previous}", { previous: { x: 7 } })[0]).toBe('{"x":1} {"x":7}');
  });

  it("stands for its number", () => {
    expect(rounds("${round} ${previous.x}", { round: 5 })).toEqual(["5 ", "5 of the first"]);
  });
});

describe("a value that a person gave a step with elements", () => {
  const each = (more: string, head = "args: {xs: [1, 2]}", options: RigOptions = {}) =>
    runOf(workflow([`s {for_each: xs, ${more}}`], head), options);

  it("stands for the list", () => {
    const rig = each(`${ASK}, command: '\${item}'`);
    rig.answer("s", "approve", { modifications: { inputs: { xs: [7] } } });
    expect(rig.dispatches.map(({ request }) => request.message)).toEqual(["7"]);
  });

  it("stands for a calculated list, which another calculated input is not", () => {
    const line =
      "s {approval: required, for_each: 'filter(xs, x => x > 1)', command: '${n} ${item}', inputs: {n: {expr: 2 * 3}}}";
    const messages = (inputs: JsonObject) => {
      const rig = runOf(workflow([line], "args: {xs: [1, 2]}"));
      expect(rig.answer("s", "approve", { modifications: { inputs } }).refusal).toBeUndefined();
      return rig.dispatches.map(({ request }) => request.message);
    };
    expect(messages({ n: 5 })).toEqual(["5 2"]);
    expect(messages({ "filter(xs, x => x > 1)": [8, 9] })).toEqual(["6 8", "6 9"]);
  });

  it("holds for each of them, unless one was given another", () => {
    const judge: RigOptions["judge"] = ({ nodeId, grants }) =>
      nodeId === "s[1]" && grants.length === 0 ? HOLD : undefined;
    const rig = each(`${ASK}, command: '\${n} \${m} \${item} \${index}'`, "args: {xs: [1, 2], n: 0, m: 0}", { judge });
    rig.answer("s", "approve", { modifications: { inputs: { n: 5, m: 6 } } });
    expect(rig.dispatch("s[0]").request.message).toBe("5 6 1 0");
    expect(rig.answer("s[1]", "approve", { modifications: { inputs: { n: 8, item: 9 } } }).refusal).toBeUndefined();
    expect(rig.dispatch("s[1]").request.message).toBe("8 6 9 1");
  });

  it("stands for the index alone", () => {
    const judge: RigOptions["judge"] = ({ nodeId, grants }) =>
      nodeId === "s[1]" && grants.length === 0 ? HOLD : undefined;
    const rig = each("command: '${item} ${index}'", undefined, { judge });
    expect(rig.answer("s[1]", "approve", { modifications: { inputs: { index: 9 } } }).refusal).toBeUndefined();
    expect(rig.dispatch("s[1]").request.message).toBe("2 9");
  });
});

describe("a value that a person gave a step which only calculates", () => {
  const given = (line: string, inputs: JsonObject, head = "") => {
    const rig = runOf(workflow([line], head));
    const { refusal } = rig.answer("s", "approve", { modifications: { inputs } });
    return { rig, refusal };
  };

  it("takes the place of what it reads, and of what it sets", () => {
    const line = `s {${ASK}, set: {n: '\${x}', m: '\${x}'}}`;
    expect(given(line, { x: 5 }, "args: {x: 1}").rig.outputs("s")).toEqual({ n: 5, m: 5 });
    expect(given(line, { n: 5 }, "args: {x: 1}").rig.outputs("s")).toEqual({ n: 5, m: 1 });
  });

  it("is shown to those who are asked after the one who gave it, as that of a child run is", () => {
    const shown = (more: string) => {
      const { rig } = given(`s {${ASK}, quorum: 2, ${more}}`, { n: 5 }, "args: {x: 1}");
      return rig.of("approval.revised")[0]?.subject.shown;
    };
    const both = [
      { label: "n", kind: "value", value: 5 },
      { label: "x", kind: "value", value: 1 },
    ];
    expect(shown("set: {n: '${x}'}")).toEqual(both);
    expect(shown("workflow_ref: other, with: {n: '${x}'}")).toEqual(both);
  });

  it("is why the run ends", () => {
    const { rig } = given(`s {${ASK}, fail: {code: mine, message: no}}`, { message: "not today" });
    expect(rig.of("run.failed")).toMatchObject([{ errorCode: "mine", reason: "not today" }]);
  });

  it("is what an event is matched by, if it is a map", () => {
    const source = `name: w\nsteps:\n  - {id: s, ${ASK}, emit: {type: paid, key: {order: 1}}}\n`;
    const emitted = (key: JsonObject[string]) => {
      const rig = runOf(source);
      const { refusal } = rig.answer("s", "approve", { modifications: { inputs: { key } } });
      return refusal?.errors ?? rig.of("event.emitted")[0]?.key;
    };
    expect(emitted({ order: 2 })).toEqual({ order: 2 });
    expect(emitted(2)).toEqual([{ field: "inputs.key", message: "must be an object" }]);
  });
});
