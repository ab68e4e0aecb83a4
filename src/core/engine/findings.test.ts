import { describe, expect, it } from "vitest";
import { BUSY, HOLD, type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";

/** `b` uses a value of `a`, and one of `s`, which was skipped. */
const BOTH = workflow([
  "a",
  "s < a {condition: 'false'}",
  "b < a s {command: '${a.stdout} ${s.stdout}', on_failure: retry_once_then_escalate}",
]);
/** `b` uses only a value that is not there. */
const WARNED = workflow([
  "s {condition: 'false'}",
  "a",
  "b < a s {command: 'say ${s.stdout}', on_failure: retry_once_then_escalate}",
]);

const found = (rig: Rig): readonly number[] => [
  rig.of("node.provenance", "b").length,
  rig.of("node.log", "b").filter(({ level }) => level === "warning").length,
];
const wake = (rig: Rig) => rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "b", epoch: 0 } });

describe("what binding a node finds is said once per epoch", () => {
  it.each([
    ["a value and a warning", BOTH, [1, 1]],
    ["a warning only", WARNED, [0, 1]],
  ])("%s: not again on a retry, nor after an escalation", (_, source, once) => {
    const rig = runOf(source).complete("a");
    expect(found(rig)).toEqual(once);
    rig.fail("b").fail("b");
    rig.answer("b", "retry");
    expect(rig.node("b").attempts).toBe(3);
    expect(found(rig)).toEqual(once);
  });

  it.each([
    ["a value and a warning", BOTH, [1, 1]],
    ["a warning only", WARNED, [0, 1]],
  ])("%s: not again however often it is asked at a gate", (_, source, once) => {
    const rig = runOf(source, { judge: ({ nodeId }) => (nodeId === "b" ? BUSY : undefined) }).complete("a");
    wake(rig);
    wake(rig);
    expect(rig.node("b").now).toMatchObject({ status: "queued", isLimited: true });
    expect(found(rig)).toEqual(once);
  });

  it.each([
    ["a value and a warning", BOTH, [1, 1]],
    ["a warning only", WARNED, [0, 1]],
  ])("%s: not again once a person has answered", (_, source, once) => {
    const rig = runOf(source, {
      judge: ({ nodeId, grants }) => (nodeId === "b" && grants.length === 0 ? HOLD : undefined),
    }).complete("a");
    rig.answer("b", "approve");
    expect(rig.status("b")).toBe("running");
    expect(found(rig)).toEqual(once);
  });

  it("is said again in the next epoch", () => {
    const rig = runOf(WARNED).complete("a").complete("b");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    rig.complete("a");
    expect(rig.node("b").attempts).toBe(2);
    expect(found(rig)).toEqual([0, 2]);
  });
});
