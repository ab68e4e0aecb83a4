import { describe, expect, it } from "vitest";
import { ALLOW, BUSY, Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { waitingForOf } from "./index.ts";

const waiting = (rig: Rig): string | null => {
  expect(waitingForOf(rig.replayed())).toBe(waitingForOf(rig.state));
  return waitingForOf(rig.state);
};

describe("a run waits", () => {
  it("for a person as soon as anything of it does, until it is answered", () => {
    const rig = runOf(workflow(["g {approval: required}", "a"]));
    expect(waiting(rig)).toBe("person");
    rig.answer("g", "approve");
    expect(waiting(rig)).toBeNull();
    rig.complete("a");
    expect([rig.state.status, waiting(rig)]).toEqual(["completed", null]);
  });

  it("for a gate when a limit keeps back all that is left", () => {
    let isBusy = true;
    const rig = runOf(workflow(["a", "b"]), { judge: ({ nodeId }) => (nodeId === "b" && isBusy ? BUSY : ALLOW) });
    expect(waiting(rig)).toBeNull();
    rig.complete("a");
    expect(waiting(rig)).toBe("gate");
    isBusy = false;
    rig.submit({ type: "timer", timer: { kind: "wake", nodeId: "b", epoch: 0 } });
    expect([rig.status("b"), waiting(rig)]).toEqual(["running", null]);
  });

  it("for a moment between two attempts", () => {
    const rig = runOf(workflow(["a {retry: {attempts: 2, backoff_ms: 500}}"])).fail("a");
    expect(waiting(rig)).toBe("timer");
    rig.fire("retry");
    expect(waiting(rig)).toBeNull();
  });

  it("for what one of its elements waits for", () => {
    const rig = runOf(workflow(["a {for_each: list, command: 'x ${item}'}"], "args: {list: [1, 2]}"), {
      judge: ({ nodeId }) => (nodeId === "a[1]" ? BUSY : ALLOW),
    });
    expect(waiting(rig)).toBeNull();
    rig.complete("a[0]");
    expect(waiting(rig)).toBe("gate");
  });

  it("for its child runs when they alone are under way", () => {
    const rig = runOf(workflow(["a {workflow_ref: other}", "b {depends_on: []}"]));
    expect(waiting(rig)).toBeNull();
    rig.complete("b");
    expect(waiting(rig)).toBe("child");
  });

  it("for nothing before it has started, and where nothing of it is under way or waits", () => {
    expect(waiting(new Rig(workflow(["a"])))).toBeNull();
    const rig = runOf(workflow(["a", "b < a"]));
    rig.submit({ type: "pause" });
    rig.complete("a");
    expect([rig.status("b"), waiting(rig)]).toEqual(["queued", null]);
  });

  it("for nothing once it has ended, whatever was open", () => {
    const rig = runOf(workflow(["g {approval: required}"]));
    rig.submit({ type: "cancel", reason: "enough" });
    expect([rig.state.status, waiting(rig)]).toEqual(["cancelled", null]);
  });
});
