import { describe, expect, it, vi } from "vitest";
import type { Runtime } from "../driver/index.ts";
import { CommitReports } from "./commit-reports.ts";

/** Two replicas over one count of reports. */
function openPair() {
  let count = 40;
  let isAway = false;
  const troubles: string[] = [];
  const open = () => {
    const listeners = new Set<Parameters<Runtime["onCommitted"]>[0]>();
    const reports = new CommitReports({
      store: {
        reportCommits: async () => {
          if (isAway) throw new Error("the database is away");
          count += 1;
        },
        countCommitReports: async () => count,
      },
      runtime: { onCommitted: (listener) => (listeners.add(listener), () => listeners.delete(listener)) },
      onTrouble: (what) => troubles.push(what),
    });
    const commit = (): void => listeners.forEach((listener) => listener("run_1", [], { orgId: "org_1" }));
    return { reports, commit, listeners };
  };
  return { one: open(), other: open(), troubles, setAway: (value: boolean) => (isAway = value), count: () => count };
}

describe("reports of commits", () => {
  it("change the number of the others and not one's own, however many commits there are", async () => {
    vi.useFakeTimers();
    try {
      const { one, other, count } = openPair();
      const [before, beforeOther] = [await one.reports.ofOthers(), await other.reports.ofOthers()];
      for (let commits = 0; commits < 100; commits += 1) one.commit();
      expect(await one.reports.ofOthers()).toBe(before);
      expect(await other.reports.ofOthers()).toBe(beforeOther + 1);
      await vi.advanceTimersByTimeAsync(500);
      expect(await one.reports.ofOthers()).toBe(before);
      expect(await other.reports.ofOthers()).toBe(beforeOther + 2);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(count()).toBe(42);
      one.reports.close();
      other.reports.close();
      expect([one.listeners.size, other.listeners.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("are repeated after the database was away", async () => {
    vi.useFakeTimers();
    try {
      const { one, other, troubles, setAway } = openPair();
      const before = await other.reports.ofOthers();
      setAway(true);
      one.commit();
      await vi.advanceTimersByTimeAsync(1_200);
      expect(troubles.length).toBeGreaterThan(1);
      expect(await other.reports.ofOthers()).toBe(before);
      setAway(false);
      await vi.advanceTimersByTimeAsync(600);
      expect(await other.reports.ofOthers()).toBe(before + 1);
    } finally {
      vi.useRealTimers();
    }
  });
});
