import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CommitLoop } from "./commit-loop.ts";
import { InputQueue, type Taken } from "./input-queue.ts";

/** Batches that end when they are asked to. */
function loopOver(queue: InputQueue) {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const step = async (): Promise<boolean> => {
    const taken: readonly Taken[] = queue.take(2, 100);
    if (taken.length === 0) return false;
    batches.push(taken.map(({ runId }) => runId));
    await new Promise<void>((resolve) => ends.push(resolve));
    for (const { runId } of taken) queue.release(runId);
    return true;
  };
  const onTrouble = (what: string, error: unknown): never => {
    throw new Error(what, { cause: error });
  };
  const loop = new CommitLoop({ queue, step, onTrouble });
  return { loop, batches, end: (batch: number) => ends[batch]?.() };
}

describe("batches under way", () => {
  it("are two, and one more for an organisation of which they have nothing", async () => {
    const queue = new InputQueue((runId) => ({ orgId: runId.slice(0, 1), priority: "normal" }));
    const { loop, batches, end } = loopOver(queue);
    for (let index = 0; index < 12; index += 1) queue.enqueue(`a_${index}`, null);
    await turn();
    await turn();
    expect(batches).toEqual([
      ["a_0", "a_1"],
      ["a_2", "a_3"],
    ]);
    queue.enqueue("b_0", null);
    await turn();
    await turn();
    expect(batches.slice(2)).toEqual([["b_0"]]);
    end(2);
    await turn();
    await turn();
    // What waits belongs to those that have their two.
    expect(batches).toHaveLength(3);
    for (let batch = 0; loop.isBusy; batch += 1) {
      end(batch);
      await turn();
      await turn();
    }
    expect(batches.slice(3).flat()).toHaveLength(8);
  });
});
