import { describe, expect, it } from "vitest";
import type { AdapterResult } from "../adapter/index.ts";
import { RunningAttempts } from "./running-attempts.ts";

describe("running attempts", () => {
  const never = new AbortController().signal;
  const untilAborted = (signal: AbortSignal): Promise<AdapterResult> =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ status: "completed", stdout: String(signal.reason) }));
    });

  it("are called off by their id, or by their caller, and no other with them", async () => {
    const running = new RunningAttempts();
    const asker = new AbortController();
    const ended: string[] = [];
    const begin = async (id: string, signal = never): Promise<void> => {
      await running.run(id, signal, untilAborted);
      ended.push(id);
    };
    const all = [begin("a"), begin("a"), begin("b", asker.signal), begin("c")];
    await running.cancel("unknown");
    await running.cancel("a");
    await Promise.all(all.slice(0, 2));
    asker.abort();
    await all[2];
    expect(ended).toEqual(["a", "a", "b"]);
    await running.end();
    await all[3];
    expect(ended).toEqual(["a", "a", "b", "c"]);
  });

  it("are over when the end resolves, also one that fails", async () => {
    const running = new RunningAttempts();
    let isOver = false;
    const failing = running.run("a", never, async (signal) => {
      await untilAborted(signal);
      isOver = true;
      throw new Error("gone");
    });
    const rejected = expect(failing).rejects.toThrow("gone");
    await running.end();
    expect(isOver).toBe(true);
    await rejected;
    await new RunningAttempts().end();
  });
});
