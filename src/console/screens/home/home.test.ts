import { describe, expect, it } from "vitest";
import type { Registered, Usage } from "../../../client/index.ts";
import { envelopesOf, periodStart } from "./envelopes.ts";
import { needsOf } from "./needs.ts";

const NOW = Date.UTC(2026, 10, 15, 16, 8); // A Sunday.

describe("periods", () => {
  it.each([
    ["daily", "2026-11-15"],
    ["weekly", "2026-11-09"],
    ["monthly", "2026-11-01"],
  ] as const)("%s began on %s", (period, day) => {
    expect(new Date(periodStart(period, NOW)).toISOString().slice(0, 10)).toBe(day);
  });
});

const spent = (day: string, group: string, costMicros: number) =>
  ({ bucketStart: `2026-11-${day}T00:00:00Z`, group, costMicros }) as unknown as Usage["data"][number];
const usageOf = (...data: Usage["data"]): Usage => ({ data }) as unknown as Usage;
const budget = (more: object): Registered => ({
  id: "b",
  revision: 1,
  createdAt: null,
  updatedAt: null,
  enabled: true,
  ...more,
});

describe("envelopes", () => {
  const usage = {
    agent: usageOf(spent("15", "ann", 3_000_000), spent("10", "ann", 1_000_000), spent("15", "bob", 9_000_000)),
    workflow: usageOf(spent("15", "w", 12_000_000), spent("02", "w", 1_000_000)),
    gateway: usageOf(),
  };

  it("count what their scope spent in their period", () => {
    const [agent, week, all] = envelopesOf(
      [
        budget({ scope: "agent", scopeId: "ann", period: "daily", amountUsd: 6 }),
        budget({ scope: "agent", scopeId: "ann", period: "weekly", amountUsd: 4 }),
        budget({ scope: "global", scopeId: null, period: "monthly", amountUsd: 26 }),
      ],
      usage,
      NOW,
    );
    expect([agent?.share, week?.share, all?.share]).toEqual([0.5, 1, 0.5]);
  });

  it("leave out what is disabled or cannot be counted", () => {
    const budgets = [budget({ scope: "team", scopeId: "t", period: "daily", amountUsd: 1 })];
    const disabled = budget({ scope: "global", period: "daily", amountUsd: 1, enabled: false });
    expect(envelopesOf([...budgets, disabled], usage, NOW)).toEqual([]);
  });
});

describe("what needs a person", () => {
  it("comes by urgency", () => {
    const approval = (id: string, expiresAt: string) =>
      ({ id, title: id, workflow: "w", nodeId: "n", expiresAt }) as unknown as Parameters<
        typeof needsOf
      >[0]["approvals"][number];
    const needs = needsOf({
      platform: { open: false, reason: "maintenance" },
      approvals: [approval("late", "2026-11-20T00:00:00Z"), approval("soon", "2026-11-16T00:00:00Z")],
      envelopes: [{ id: "e", label: "everything", spentMicros: 2, limitMicros: 1, share: 2 }],
      gateways: [],
      failed: [],
    });
    expect(needs.map(({ key }) => key)).toEqual(["platform", "soon", "late", "budget e"]);
  });

  it("shows runs that failed the same way once, and leads to all of them", () => {
    const run = (id: string, code: string, at: string) =>
      ({
        id,
        workflow: "w",
        status: "failed",
        completedAt: at,
        args: {},
        error: { code, message: code },
      }) as unknown as Parameters<typeof needsOf>[0]["failed"][number];
    const needs = needsOf({
      platform: undefined,
      approvals: [],
      envelopes: [],
      gateways: [],
      failed: [
        run("c", "timeout", "2026-11-15T03:00:00Z"),
        run("b", "provider_error", "2026-11-15T02:00:00Z"),
        run("a", "timeout", "2026-11-15T01:00:00Z"),
      ],
    });
    expect(needs.map(({ title, to, at, count }) => [title, to, at, count])).toEqual([
      ["2 × w failed", "/runs?workflow=w&status=failed", "2026-11-15T03:00:00Z", 2],
      ["w failed", "/runs/b", "2026-11-15T02:00:00Z", 1],
    ]);
  });
});
