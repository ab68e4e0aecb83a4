import { afterEach, expect, it, vi } from "vitest";
import type { RunEvent } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunRecord } from "../store/index.ts";
import { awaitEnd } from "./run-outputs.ts";

afterEach(() => {
  vi.useRealTimers();
});

type Listener = Parameters<Runtime["onCommitted"]>[0];

const runIn = (status: RunRecord["status"]): RunRecord => ({ runId: "run_1", status }) as RunRecord;
const COMPLETED = [{ type: "run.completed" }] as unknown as readonly RunEvent[];

it("an end that is committed while the run is read is returned at once", async () => {
  vi.useFakeTimers();
  const listeners = new Set<Listener>();
  let reads = 0;
  const services = {
    runtime: {
      onCommitted: (listener: Listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    store: {
      getRun: async () => {
        reads += 1;
        if (reads > 1) return runIn("completed");
        for (const listener of listeners) listener("run_1", COMPLETED, { orgId: "org_1" });
        return runIn("running");
      },
    },
  };
  // No timer is advanced, so a wait would never end.
  expect(await awaitEnd(services, "org_1", "run_1", 60_000)).toMatchObject({ status: "completed" });
  expect([reads, listeners.size, vi.getTimerCount()]).toEqual([2, 0, 0]);
});
