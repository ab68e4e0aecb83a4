import { beforeEach, describe, expect, it } from "vitest";
import { approval, creation, link } from "../../../test/contracts/shares.ts";
import type { Clock, LeasedRounds } from "../../clock/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { RunStatus } from "../../core/event/index.ts";
import { createMemoryStore, type EntryKind, type Store } from "../../store/index.ts";
import { AlertWatch, type Fired } from "./alert-watch.ts";

const ORG = "org_1";
/** Noon of a Wednesday. */
const NOON = Date.UTC(2031, 4, 7, 12);
const HOUR = 3_600_000;

let now: number;
let store: Store;
let fired: Fired[];
let troubles: string[];

beforeEach(() => {
  now = NOON;
  fired = [];
  troubles = [];
  store = createMemoryStore({ now: () => now });
});

function watch(): LeasedRounds {
  const clock: Clock = { now: () => now, after: () => () => undefined };
  return new AlertWatch({
    store,
    clock,
    onFired: (one) => fired.push(one),
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  }).rounds;
}

const put = (kind: EntryKind, id: string, body: JsonObject): Promise<unknown> =>
  store.putEntry(ORG, kind, id, body, now);
const webhook = (id: string, enabled = true): Promise<unknown> =>
  put("webhook", id, { url: "https://example.com/", events: ["run.failed"], enabled });
const messages = async (id: string): Promise<readonly JsonObject[]> =>
  (await store.listDeliveries(ORG, id, { limit: 50, cursor: null })).data.map(
    ({ body }) => JSON.parse(body) as JsonObject,
  );
const ended = (runId: string, status: RunStatus, endedAt = now): Promise<unknown> =>
  store.commit([creation(runId, {}, { head: { status, endedAt } })]);

const spend = (envelopeId: string, periodStart: number, micros: number, runId: string): Promise<unknown> =>
  store.commit([
    creation(runId, {}, { ledger: [{ envelopeId, periodStart, reserved: 0, spent: micros, ceiling: null }] }),
  ]);

describe("an alert on budgets", () => {
  const day = Date.UTC(2031, 4, 7);
  beforeEach(async () => {
    await webhook("ops");
    await put("budget", "daily", {
      scope: "global",
      period: "daily",
      amount_usd: 10,
      enabled: true,
      alert_at: [],
      on_exhausted: "block",
    });
    await put("alert", "money", { on: "budget", threshold: 0.5, to: ["ops", "log", "role:finance"] });
  });

  it("fires at the threshold, once in a period, and is audited", async () => {
    const alerts = watch();
    await spend("daily", day, 4_999_999, "r1");
    await alerts.go();
    expect(fired).toEqual([]);
    await spend("daily", day, 1, "r2");
    await alerts.go();
    await alerts.go();
    await watch().go();
    expect(fired).toMatchObject([{ orgId: ORG, alert: "money", on: "budget", isForLog: true }]);
    expect(fired[0]?.message).toMatch(/^5(?:\.0+)? of the 10(?:\.0+)? dollars/);
    expect(await messages("ops")).toMatchObject([
      {
        type: "alert.fired",
        timestamp: new Date(NOON).toISOString(),
        data: {
          alert: "money",
          on: "budget",
          threshold: 0.5,
          subject: "budget/daily",
          value: 0.5,
          notify: ["role:finance"],
        },
      },
    ]);
    expect(await store.listPendingOrganisations(0, 9)).toEqual([ORG]);
    now += 24 * HOUR;
    await alerts.go();
    expect(fired).toHaveLength(1);
    await spend("daily", day + 24 * HOUR, 9_000_000, "r3");
    await alerts.go();
    expect(fired).toHaveLength(2);
  });

  it("is silent about budgets that are disabled, empty or unused", async () => {
    const spec = {
      scope: "global",
      period: "monthly",
      amount_usd: 0,
      enabled: true,
      alert_at: [],
      on_exhausted: "block",
    };
    await put("budget", "nothing", spec);
    await put("budget", "off", { ...spec, amount_usd: 1, enabled: false });
    await put("alert", "money", { on: "budget", threshold: 0, to: ["log"] });
    await spend("off", Date.UTC(2031, 4, 1), 5_000_000, "r1");
    await watch().go();
    expect(fired).toEqual([]);
  });
});

describe("an alert on failures", () => {
  beforeEach(() => put("alert", "failing", { on: "failure_rate", threshold: 0.4, to: ["log"] }));

  it("fires at a share of at least five runs of the last hour, once an hour", async () => {
    const alerts = watch();
    for (const [index, status] of (["failed", "timed_out", "completed", "cancelled"] as const).entries()) {
      await ended(`r${index}`, status);
    }
    await ended("old", "failed", now - HOUR - 1);
    await alerts.go();
    expect(fired).toEqual([]);
    await ended("r5", "completed");
    await alerts.go();
    await alerts.go();
    expect(fired).toMatchObject([
      { on: "failure_rate", message: "2 of the 5 runs that ended in the last hour failed." },
    ]);
    now += HOUR;
    await alerts.go();
    expect(fired).toHaveLength(2);
    now += 1;
    await alerts.go();
    expect(fired).toHaveLength(2);
  });

  it("keeps still below its share", async () => {
    for (let run = 0; run < 4; run += 1) await ended(`c${run}`, "completed");
    await ended("f", "failed");
    await watch().go();
    expect(fired).toEqual([]);
  });
});

describe("an alert on approvals", () => {
  it("fires once for each that waits as long, and for none that was answered", async () => {
    await put("alert", "waiting", { on: "approval_age", threshold: 60, to: ["log"] });
    const opened = [
      approval("apr_1", "run_1", { requestedAt: now - 60_000 }),
      approval("apr_2", "run_1", { requestedAt: now - 59_999 }),
      approval("apr_3", "run_1", { requestedAt: now - 90_000, status: "approved" }),
    ];
    await store.commit([creation("run_1", {}, { approvalsOpened: opened })]);
    const alerts = watch();
    await alerts.go();
    expect(fired.map(({ message }) => message)).toEqual(["The approval apr_1 of the run run_1 waits for 60 s."]);
    now += 30_000;
    await alerts.go();
    await watch().go();
    expect(fired).toHaveLength(2);
  });
});

describe("an alert on gateways", () => {
  it("fires once for every time one has been away for so long", async () => {
    await put("alert", "away", { on: "gateway_down", threshold: 90, to: ["log"] });
    const edge = link("edge", { orgId: ORG });
    await store.putGatewayLink(edge);
    await store.setGatewayStatus(ORG, "edge", "offline", now);
    const alerts = watch();
    now += 89_999;
    await alerts.go();
    expect(fired).toEqual([]);
    now += 1;
    await alerts.go();
    now += HOUR;
    await alerts.go();
    expect(fired).toMatchObject([{ on: "gateway_down", message: "The gateway edge is offline for 90 s." }]);
    await store.setGatewayStatus(ORG, "edge", "healthy", now);
    await alerts.go();
    await store.setGatewayStatus(ORG, "edge", "offline", now + 1);
    now += 100_000;
    await alerts.go();
    expect(fired).toHaveLength(2);
  });
});

describe("alerts", () => {
  it("are looked for by one process at a time, and by another when it stops", async () => {
    await put("alert", "failing", { on: "failure_rate", threshold: 0.1, to: ["log"] });
    const [first, second] = [watch(), watch()];
    await first.go();
    for (let run = 0; run < 5; run += 1) await ended(`f${run}`, "failed");
    await second.go();
    expect(fired).toEqual([]);
    await first.stop();
    await second.go();
    expect(fired).toHaveLength(1);
  });

  it("are sent to those who are there, and name who is not", async () => {
    await webhook("ops");
    await webhook("off", false);
    await put("alert", "failing", {
      on: "failure_rate",
      threshold: 0.1,
      to: ["ops", "off", "missing", "user:ann", "ops"],
    });
    for (let run = 0; run < 5; run += 1) await ended(`f${run}`, "failed");
    await watch().go();
    expect(await messages("ops")).toHaveLength(1);
    expect(await messages("off")).toEqual([]);
    expect(troubles).toEqual([expect.stringContaining('no enabled webhook "off", "missing"')]);
    expect(fired).toMatchObject([{ isForLog: false }]);
  });
});
