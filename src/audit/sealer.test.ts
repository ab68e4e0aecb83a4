import { describe, expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../clock/index.ts";
import { auditEntry } from "../core/audit/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { AuditTrail } from "./audit-trail.ts";
import { type Sealer, type SealerOptions, startSealer } from "./sealer.ts";

const START = 1_700_000_000_000;

interface Rig {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly trail: AuditTrail;
  readonly sealer: Sealer;
  readonly troubles: string[];
  readonly record: (orgId: string, count?: number) => Promise<void>;
}

function rig(over: Partial<Store> = {}, options: Partial<SealerOptions> = {}): Rig {
  const clock = createVirtualClock(START);
  const store = { ...createMemoryStore({ now: () => clock.now() }), ...over };
  const trail = new AuditTrail({ store, now: () => clock.now(), seed: "0d".repeat(32) });
  const troubles: string[] = [];
  const onTrouble = (what: string, error: unknown): number => troubles.push(`${what}: ${String(error)}`);
  const sealer = startSealer({ trail, store, clock, onTrouble, ...options });
  const entry = () =>
    auditEntry({ at: clock.now(), type: "node.completed", actor: "sluice", resource: "node/a", detail: {} });
  const record = (orgId: string, count = 1): Promise<void> =>
    store.appendAudit(orgId, Array.from({ length: count }, entry));
  return { clock, store, trail, sealer, troubles, record };
}

describe("the sealer", () => {
  it("seals within a second, every organisation, and signs within a minute after", async () => {
    const { clock, sealer, trail, record } = rig();
    await record("org_1", 3);
    await record("org_2");
    await clock.run(() => sealer.figures().sealedRecords === 4);
    expect(clock.now() - START).toBeLessThanOrEqual(1_000);
    expect(sealer.figures()).toMatchObject({ checkpoints: 0, missed: 0, failures: 0, lagMs: 1_000 });
    await clock.run(() => sealer.figures().checkpoints === 2);
    expect(clock.now() - START).toBeLessThanOrEqual(63_000);
    await sealer.stop();
    expect(await trail.verify("org_1")).toMatchObject({ ok: true, records: 3, checkpoints: 1 });
  });

  it("does nothing after it was stopped", async () => {
    const { clock, sealer, store, record } = rig();
    await sealer.stop();
    await record("org_1");
    expect(await clock.run(() => false)).toBe(false);
    expect(await store.auditHead("org_1")).toMatchObject({ seq: 0 });
  });

  it("continues with the others when one organisation is in trouble", async () => {
    const world = createMemoryStore();
    const seal: Store["seal"] = (orgId, limit, compute) =>
      orgId === "org_1" ? Promise.reject(new Error("no disk")) : world.seal(orgId, limit, compute);
    const { sealer, troubles, record } = rig({ ...world, seal });
    await record("org_1");
    await record("org_2");
    await sealer.tick();
    expect(troubles).toEqual(["sealing the audit of org_1: Error: no disk"]);
    expect(sealer.figures()).toMatchObject({ sealedRecords: 1, failures: 1 });
    await sealer.stop();
  });

  it("passes on when another replica is at the chain, and counts it", async () => {
    const { sealer, record } = rig({ seal: () => Promise.resolve(null) });
    await record("org_1");
    await sealer.tick();
    expect(sealer.figures()).toMatchObject({ sealedRecords: 0, missed: 1, failures: 0 });
    await sealer.stop();
  });

  it("prunes from time to time", async () => {
    const { clock, sealer, trail, record } = rig({}, { everyMs: 86_400_000, pruneEveryMs: 86_400_000 });
    await record("org_1", 2);
    await clock.run(() => sealer.figures().prunedSegments === 1);
    // Sealed after a day, closed after two, and kept for a year from then.
    expect(Math.round((clock.now() - START) / 86_400_000)).toBe(368);
    await sealer.stop();
    expect(await trail.verify("org_1")).toMatchObject({ ok: true, records: 0, lastSeq: 2 });
  });
});
