import { describe, expect, it } from "vitest";
import type { RunRecord, StoredEvent } from "../store/index.ts";
import { FAMILY_LIMITS, familyLogs } from "./family-logs.ts";

/** A parent with so many children, each with a log of its own. */
function household(children: number) {
  const started = (more: object) => ({
    workflow: "w",
    version: 1,
    hash: "h",
    args: { big: null },
    nodeCount: 1,
    trigger: "t",
    recursionDepth: 0,
    ...more,
  });
  const event = (eventId: number, type: string, payload: object, more: object = {}): StoredEvent =>
    ({ eventId, at: 1, type, payload, ...more }) as unknown as StoredEvent;
  const logs = new Map<string, readonly StoredEvent[]>([
    [
      "run_0",
      [
        event(1, "run.started", started({}), { refs: [{ path: ["args", "big"], hash: "sha256:1", bytes: 70_000 }] }),
        ...Array.from({ length: children }, (_, index) =>
          event(index + 2, "child.started", { nodeId: "k", attempt: 1, childRunId: `run_${index + 1}`, workflow: "w" }),
        ),
        event(children + 2, "node.log", { nodeId: "k", level: "info", message: "left out" }),
      ],
    ],
    ...Array.from(
      { length: children },
      (_, index) => [`run_${index + 1}`, [event(1, "run.started", started({ parentRunId: "run_0" }))]] as const,
    ),
  ]);
  const recordOf = (runId: string) =>
    ({ orgId: "org", runId, workflow: "w", lastEventId: logs.get(runId)?.length ?? 0 }) as RunRecord;
  const store = {
    getRun: async (_org: string, runId: string) => (logs.has(runId) ? recordOf(runId) : undefined),
    readEvents: async (_org: string, runId: string, after: number, limit: number) =>
      (logs.get(runId) ?? []).slice(after, after + limit),
    verdictsOf: async () => [],
  };
  const read = async (runId: string, limits: { reach: number; runs: number; events: number }) =>
    (await familyLogs(store, recordOf(runId), limits)).map((log) => log.runId);
  return { store, recordOf, read };
}

describe("the logs of a family", () => {
  it("are read up to the limit of runs, nearest first", async () => {
    const { runs } = FAMILY_LIMITS;
    for (const [children, expected] of [
      [runs - 2, runs - 1],
      [runs - 1, runs],
      [runs, runs],
    ] as const) {
      const found = await household(children).read("run_0", { reach: runs, ...FAMILY_LIMITS });
      expect([children, found.length, found[0]]).toEqual([children, expected, "run_0"]);
    }
  });

  it("are read up to the limit of events", async () => {
    const { read } = household(2);
    const limits = { reach: 9, runs: 9 };
    expect(await read("run_0", { ...limits, events: 5 })).toHaveLength(3);
    expect(await read("run_0", { ...limits, events: 4 })).toHaveLength(2);
    expect(await read("run_0", { ...limits, events: 2 })).toEqual([]);
  });

  it("go from a child to its parent and on, but no further than asked", async () => {
    const { read } = household(3);
    const limits = { runs: 9, events: 99 };
    expect(await read("run_2", { ...limits, reach: 0 })).toEqual(["run_2"]);
    expect(await read("run_2", { ...limits, reach: 1 })).toEqual(["run_2", "run_0"]);
    expect(await read("run_2", { ...limits, reach: 2 })).toEqual(["run_2", "run_0", "run_1", "run_3"]);
  });

  it("have the digests of large values in their places, and nothing that says nothing", async () => {
    const { store, recordOf } = household(0);
    const [log] = await familyLogs(store, recordOf("run_0"), { reach: 0, runs: 1, events: 9 });
    expect(log?.events).toMatchObject([{ type: "run.started", payload: { args: { big: "sha256:1" } } }]);
    expect(log?.events[0]).not.toHaveProperty("refs");
  });
});
