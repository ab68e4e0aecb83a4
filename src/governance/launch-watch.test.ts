import { beforeEach, describe, expect, it } from "vitest";
import { ALONE } from "../../test/contracts/listeners.ts";
import { launchApproval } from "../../test/governance/launch-approval.ts";
import { createVirtualClock, type LeasedRounds, type VirtualClock } from "../clock/index.ts";
import { type AuditEntry, auditEntry } from "../core/audit/index.ts";
import { ANYONE, type ApprovalRule } from "../core/definition/index.ts";
import { createMemoryStore, type Store } from "../store/index.ts";
import { type LaunchNotice, LaunchWatch } from "./launch-watch.ts";

const ORG = "org_1";
const HOUR = 3_600_000;
const RULE: ApprovalRule = {
  ...ANYONE,
  approvers: [
    { who: "role:lead", withinMs: 2 * HOUR },
    { who: "team:ops", withinMs: HOUR },
  ],
  otherwise: "reject",
  expiresMs: 7 * 24 * HOUR,
};

let clock: VirtualClock;
let store: Store;
let notices: LaunchNotice[];
let troubles: string[];

beforeEach(() => {
  clock = createVirtualClock(1_000_000);
  store = createMemoryStore({ now: () => clock.now() });
  notices = [];
  troubles = [];
});

const watch = (over: Partial<Store> = {}): LeasedRounds =>
  new LaunchWatch({
    store: { ...store, ...over },
    clock,
    deliveriesOf: async (notice) => {
      notices.push(notice);
      const { orgId, key, type } = notice;
      return [{ id: `msg ${key}`, orgId, targetId: "ops", type, body: JSON.stringify(notice.data), ...ALONE }];
    },
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  }).rounds;

async function ask(id = "apr_1", rule: ApprovalRule = RULE): Promise<void> {
  const at = clock.now();
  const entry = auditEntry({ at, type: "approval.requested", actor: "a", resource: `approval/${id}`, detail: {} });
  await store.askLaunch(launchApproval(rule, at, id), entry);
}

async function pass(ms: number): Promise<void> {
  let isThen = false;
  clock.after(ms, () => {
    isThen = true;
  });
  await clock.run(() => isThen);
}

async function audited(): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  await store.seal(ORG, 100, (head, pending) => {
    for (const one of pending) entries.push(...one.entries);
    return { head, records: [], segments: [] };
  });
  return entries;
}

const sent = async (): Promise<readonly string[]> =>
  (await store.listDeliveries(ORG, "ops", { limit: 50, cursor: null })).data.map(({ id }) => id).sort();
const statusOf = async (id: string): Promise<string | undefined> => (await store.getApproval(ORG, id))?.status;

describe("launches that wait", () => {
  it("are reminded of, asked on and closed, once however many look", async () => {
    await ask();
    const watches = [watch(), watch(), watch()];
    for (const one of watches) one.start();
    await pass(4 * HOUR);
    for (const one of watches) await one.stop();
    expect(await statusOf("apr_1")).toBe("rejected");
    expect(await sent()).toEqual(["msg launch/apr_1/normal"]);
    expect(notices[0]).toMatchObject({
      type: "approval.reminded",
      data: { approvalId: "apr_1", source: "policy", urgency: "normal", summary: "ann wants to start news" },
    });
    expect((await audited()).map(({ type, detail }) => [type, detail])).toEqual([
      ["approval.requested", {}],
      ["approval.escalated", { approvalId: "apr_1", source: "policy", hop: 1, who: "team:ops" }],
      [
        "approval.resolved",
        {
          approvalId: "apr_1",
          source: "policy",
          status: "rejected",
          decision: "reject",
          reason: "no answer in time",
        },
      ],
    ]);
    expect(troubles).toEqual([]);
  });

  it("are moved once, also by two who look at the same moment without a lease", async () => {
    await ask();
    await pass(3 * HOUR);
    const free = { takeLease: async () => true };
    await Promise.all([watch(free).go(), watch(free).go(), watch(free).go()]);
    const types = (await audited()).map(({ type }) => type);
    expect(types).toEqual(["approval.requested", "approval.escalated"]);
    expect(await sent()).toEqual(["msg launch/apr_1/normal"]);
  });

  it("are sent neither twice nor never when the process dies in between", async () => {
    await ask();
    await pass(HOUR);
    const dying = watch({ moveLaunch: () => Promise.reject(new Error("gone")) });
    await expect(dying.go()).rejects.toThrow("gone");
    await dying.stop();
    await watch().go();
    expect(await sent()).toEqual(["msg launch/apr_1/normal"]);
    expect((await store.dueLaunches(10)).approvals).toEqual([]);
  });

  it("are left alone once they are answered", async () => {
    await ask();
    const answer = { by: "ann", byId: null, personId: null, decision: "approve", at: 1 } as const;
    const closing = { id: "apr_1", seen: 0, answers: [answer], status: "approved", choice: "approve" } as const;
    const entry = auditEntry({
      at: 1,
      type: "approval.resolved",
      actor: "ann",
      resource: "approval/apr_1",
      detail: {},
    });
    await store.answerLaunch(ORG, { ...closing, resolvedBy: "ann", resolvedAt: 1, reason: null }, entry);
    await pass(100 * HOUR);
    await watch().go();
    expect([notices, await statusOf("apr_1")]).toEqual([[], "approved"]);
    expect(await store.findApprovedLaunch(ORG, "apr_1")).toBe("apr_1");
    await pass(100 * HOUR);
    const next = watch();
    await next.go();
    expect(await store.findApprovedLaunch(ORG, "apr_1")).toBeUndefined();
  });

  it("that the chain approves may be started", async () => {
    await ask("apr_1", { ...RULE, approvers: [], otherwise: "approve", expiresMs: HOUR });
    await pass(2 * HOUR);
    await watch().go();
    expect(await store.findApprovedLaunch(ORG, "apr_1")).toBe("apr_1");
  });

  it("are looked for again after a round that failed", async () => {
    await ask();
    let failures = 2;
    const shaky = watch({
      dueLaunches: (limit) => {
        failures -= 1;
        return failures >= 0 ? Promise.reject(new Error("no database")) : store.dueLaunches(limit);
      },
    });
    shaky.start();
    await pass(2 * HOUR + 60_000);
    await shaky.stop();
    expect(troubles).toEqual(Array(2).fill("approvals of launches could not be looked after: Error: no database"));
    expect((await audited()).map(({ type }) => type)).toContain("approval.escalated");
  });
});
