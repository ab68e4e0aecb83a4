import { describe, expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import type { AuditEntry } from "../core/audit/index.ts";
import { createMemoryStore } from "../store/index.ts";
import { Reconciler, type ReconcilerOptions } from "./reconciler.ts";

function rig(over: Partial<ReconcilerOptions["store"]> = {}) {
  const clock = createVirtualClock(0);
  const troubles: string[] = [];
  const asked: string[] = [];
  const note = <T>(what: string, answer: T): Promise<T> => {
    asked.push(what);
    return Promise.resolve(answer);
  };
  const store: ReconcilerOptions["store"] = {
    recount: () => note("recount", ["agent a of org: 2 open, counted again 1"]),
    unexplainedSpending: (since) => note(`explain ${since}`, ["envelope cap of org: 2 spent, usage explains 1"]),
    expireLaunches: (limit) => note(`expire ${limit}`, 0),
    ...over,
  };
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  return { clock, troubles, asked, reconciler: new Reconciler({ store, clock, onTrouble }) };
}

describe("the reconciler", () => {
  it("recounts every five minutes, tells what was wrong, and counts it", async () => {
    const { reconciler, asked, troubles } = rig();
    for (let minute = 1; minute <= 4; minute += 1) await reconciler.tick();
    expect(asked).toEqual(Array.from({ length: 4 }, () => "expire 500"));
    await reconciler.tick();
    expect(asked.slice(4)).toEqual(["expire 500", "recount"]);
    expect(troubles).toEqual(["a counter was wrong and has been set right: agent a of org: 2 open, counted again 1"]);
    expect(reconciler.figures()).toEqual({ recounts: 1, mended: 1, unexplained: 0 });
  });

  it("compares spending with usage once a day", async () => {
    const { reconciler, asked, troubles } = rig({ recount: async () => [] });
    for (let minute = 1; minute < 1_440; minute += 1) await reconciler.tick();
    expect(asked.some((what) => what.startsWith("explain"))).toBe(false);
    await reconciler.tick();
    expect(asked.filter((what) => what.startsWith("explain"))).toHaveLength(1);
    expect(troubles).toEqual([
      "a budget has more spent than usage explains: envelope cap of org: 2 spent, usage explains 1",
    ]);
    expect(reconciler.figures().unexplained).toBe(1);
  });

  it("goes on when something fails, and stops when it is told to", async () => {
    const failing = rig({
      expireLaunches: () => Promise.reject(new Error("no database")),
      recount: () => Promise.reject(new Error("no database")),
    });
    const { reconciler, clock, troubles } = failing;
    reconciler.start();
    await clock.run(() => troubles.length === 6);
    expect(clock.now()).toBe(5 * 60_000);
    reconciler.stop();
    await clock.run(() => clock.now() > 60 * 60_000);
    expect(troubles).toHaveLength(6);
  });

  it("closes launches nobody answered, and says so", async () => {
    let now = 1_000;
    const store = createMemoryStore({ now: () => now });
    const launch = {
      id: "apr_1",
      orgId: "org",
      runId: "",
      nodeId: "",
      attempt: null,
      epoch: 0,
      source: "policy",
      summary: "",
      agentId: null,
      digest: "d",
      rendered: "",
      choices: ["approve"],
      approvers: [],
      isSeparate: false,
      status: "pending",
      choice: null,
      requestedAt: 1_000,
      expiresAt: 2_000,
      resolvedBy: null,
      resolvedAt: null,
      reason: null,
      modifications: null,
      requestedBy: "key_1",
    } as const;
    const entry = { at: 1, type: "approval.requested", category: "governance", actor: "a", resource: "r", detail: {} };
    await store.askLaunch(launch, entry as AuditEntry);
    const reconciler = new Reconciler({ store, clock: createVirtualClock(0), onTrouble: () => undefined });
    await reconciler.tick();
    expect(await store.getApproval("org", "apr_1")).toMatchObject({ status: "pending" });
    now = 2_000;
    await reconciler.tick();
    expect(await store.getApproval("org", "apr_1")).toMatchObject({ status: "expired", resolvedAt: 2_000 });
    const bodies: string[] = [];
    await store.seal("org", 10, (head, pending) => {
      bodies.push(...pending.map(({ body }) => body));
      return { head, records: [], segments: [] };
    });
    expect(bodies.at(-1)).toContain('"status":"expired"');
  });
});
