import { describe, expect, it } from "vitest";
import { type Rig, runOf, workflow } from "./rig.ts";

const say = (rig: Rig, attempt: number, ...pieces: readonly (readonly [number, string])[]) =>
  rig.submit({ type: "stream", nodeId: "a", attempt, deltas: pieces.map(([index, text]) => ({ index, text })) });
const pieces = (rig: Rig) => rig.of("node.stream.delta", "a").map(({ deltaIndex, text }) => [deltaIndex, text]);

describe("a node that streams", () => {
  it("is streaming from its first piece on, and records pieces, never the text so far", () => {
    const rig = runOf(workflow(["a"]));
    say(rig, 1, [0, "The "], [1, "answer"]);
    expect(rig.status("a")).toBe("streaming");
    expect(pieces(rig)).toEqual([
      [0, "The "],
      [1, "answer"],
    ]);
    expect(rig.complete("a", { stdout: "The answer" }).status("a")).toBe("completed");
  });

  it("records a piece once, and none that comes after a later one", () => {
    const rig = runOf(workflow(["a"]));
    say(rig, 1, [0, "x"], [0, "x"], [2, "z"], [1, "y"]);
    say(rig, 1, [2, "z"]);
    expect(pieces(rig)).toEqual([
      [0, "x"],
      [2, "z"],
    ]);
  });

  it("counts on over its attempts", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"]));
    say(rig, 1, [0, "first "], [1, "try"]);
    rig.fail("a");
    say(rig, 1, [2, "late"]);
    say(rig, 2, [0, "second"]);
    const indices = pieces(rig).map(([index]) => Number(index));
    expect(indices).toEqual([...new Set(indices)].sort((left, right) => left - right));
    expect(pieces(rig).map(([, text]) => text)).toEqual(["first ", "try", "second"]);
  });

  it("says nothing once it has ended, nor once its run has", () => {
    const done = runOf(workflow(["a", "b"])).complete("a");
    expect(say(done, 1, [0, "late"]).events).toEqual([]);
    const cancelled = runOf(workflow(["a"]));
    cancelled.submit({ type: "cancel", reason: "stop" });
    expect(say(cancelled, 1, [0, "late"]).events).toEqual([]);
  });
});
