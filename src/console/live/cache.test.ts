import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { QueryCache } from "./cache.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A cache whose answers are given by the test. */
function setUp() {
  const cache = new QueryCache(() => Date.now());
  const asked: ((answer: unknown) => void)[] = [];
  const load = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      asked.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer)));
    });
  const answer = async (value: unknown): Promise<void> => {
    asked.shift()?.(value);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { cache, asked, load, answer };
}

describe("the cache", () => {
  it("reads once for all requests of the same key, and shows what it has while it reads again", async () => {
    const { cache, asked, load, answer } = setUp();
    const seen: unknown[] = [];
    cache.subscribe("runs", () => seen.push(cache.get("runs").data));
    cache.want("runs", load, ["runs"]);
    cache.want("runs", load, ["runs"]);
    expect(asked).toHaveLength(1);
    await answer("one");
    expect(cache.get("runs")).toMatchObject({ data: "one", hasData: true, isLoading: false, problem: null });
    await vi.advanceTimersByTimeAsync(1_000);
    cache.want("runs", load, ["runs"]);
    expect(cache.get("runs")).toMatchObject({ data: "one", isLoading: true });
    await answer("two");
    expect(seen).toEqual([undefined, "one", "one", "two"]);
  });

  it("is invalidated by tags: what is shown is read again, at most once in a while", async () => {
    const { cache, asked, load, answer } = setUp();
    cache.subscribe("runs", () => undefined);
    cache.want("runs", load, ["runs", "run:1"]);
    await answer("one");
    for (let times = 0; times < 50; times += 1) cache.invalidate("run:1");
    expect(asked).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(800);
    expect(asked).toHaveLength(1);
    cache.invalidate("run:1");
    await answer("two");
    await vi.advanceTimersByTimeAsync(800);
    expect(asked).toHaveLength(1);
    await answer("three");
    cache.invalidate("run:2");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(0);
    expect(cache.get("runs").data).toBe("three");
  });

  it("reads what is not shown only when it is requested again", async () => {
    const { cache, asked, load, answer } = setUp();
    const stop = cache.subscribe("runs", () => undefined);
    cache.want("runs", load, ["runs"]);
    await answer("one");
    stop();
    cache.invalidateAll();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(asked).toHaveLength(0);
    cache.want("runs", load, ["runs"], 60_000);
    expect(asked).toHaveLength(1);
  });

  it("keeps what it had when reading fails, beside the problem", async () => {
    const { cache, load, answer } = setUp();
    cache.subscribe("runs", () => undefined);
    cache.want("runs", load, []);
    await answer("one");
    void cache.refresh("runs");
    await answer(new Error("no"));
    expect(cache.get("runs")).toMatchObject({ data: "one", problem: new Error("no"), isLoading: false });
  });

  it("forgets everything on sign-out, also what is still being read", async () => {
    const { cache, load, answer } = setUp();
    cache.subscribe("runs", () => undefined);
    cache.want("runs", load, []);
    cache.clear();
    await answer("of another session");
    expect(cache.get("runs").hasData).toBe(false);
  });
});
