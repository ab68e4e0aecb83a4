import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi, ORG, STRANGER } from "../../../test/api/fixture.ts";

const NOW = Date.UTC(2026, 5, 1, 12);

let api: Api;
beforeEach(async () => {
  api = await createApi({
    now: () => NOW,
    nextSlots: (timing, from, count) =>
      Array.from(
        { length: count },
        (_, index) => from - 1 + (index + 1) * (timing.kind === "interval" ? 60_000 : 86_400_000),
      ),
  });
});
afterEach(() => api.close());

const SPEC = { workflow: "hello", every_seconds: 60 };

async function record(count: number): Promise<void> {
  const cursor = await api.store.startCursor({ orgId: ORG, scheduleId: "often", edition: "1", lookedUntil: 0 });
  const slots = Array.from({ length: count }, (_, index) => ({
    slotAt: NOW - index * 60_000,
    state: index === 0 ? ("claimed" as const) : ("skipped" as const),
    reason: index === 0 ? null : "missed",
  }));
  await api.store.claimSlots({ cursor, lookedUntil: NOW, workflow: "hello", slots, claimedBy: "a", at: NOW });
}

describe("GET /schedules/{id}/slots", () => {
  it("lists what became of slots, newest first, and the next five", async () => {
    await api.request("PUT", "schedules/often", { body: SPEC });
    await record(3);
    await api.store.settleSlot({ orgId: ORG, scheduleId: "often", slotAt: NOW }, "claimed", {
      state: "started",
      runId: "run_1",
    });
    const { status, body } = await api.request("GET", "schedules/often/slots?limit=2");
    expect(status).toBe(200);
    expect(body).toEqual({
      data: [
        {
          slotAt: "2026-06-01T12:00:00.000Z",
          state: "started",
          workflow: "hello",
          runId: "run_1",
          reason: null,
          claimedAt: "2026-06-01T12:00:00.000Z",
        },
        {
          slotAt: "2026-06-01T11:59:00.000Z",
          state: "skipped",
          workflow: "hello",
          runId: null,
          reason: "missed",
          claimedAt: "2026-06-01T12:00:00.000Z",
        },
      ],
      nextCursor: expect.any(String),
      nextSlots: [1, 2, 3, 4, 5].map((minute) => `2026-06-01T12:0${minute}:00.000Z`),
    });
    const rest = await api.request("GET", `schedules/often/slots?limit=2&cursor=${body.nextCursor}`);
    expect(rest.body.data).toHaveLength(1);
    expect(rest.body.nextCursor).toBeUndefined();
  });

  it("promises no slots of a schedule that is disabled", async () => {
    await api.request("PUT", "schedules/often", { body: { ...SPEC, enabled: false } });
    expect((await api.request("GET", "schedules/often/slots")).body).toEqual({ data: [], nextSlots: [] });
  });

  it("knows no schedule that is not there, nor those of others", async () => {
    await api.request("PUT", "schedules/often", { body: SPEC });
    expect((await api.request("GET", "schedules/none/slots")).body).toMatchObject({
      status: 404,
      code: "unknown_schedule",
    });
    expect((await api.request("GET", "schedules/often/slots", { key: STRANGER })).status).toBe(404);
    expect((await api.request("GET", "schedules/often/slots?cursor=x")).body).toMatchObject({ code: "bad_cursor" });
    expect((await api.request("GET", "schedules/often/slots?limit=101")).status).toBe(422);
  });
});

describe("GET /next-slots", () => {
  it("lists when a cron is due, and refuses what is none", async () => {
    const { status, body } = await api.request("GET", "next-slots?cron=0%209%20*%20*%20mon-fri&timezone=Europe/Berlin");
    expect([status, body.nextSlots.length]).toEqual([200, 5]);
    for (const query of ["cron=daily", "cron=0%209%20*%20*%20*&timezone=Atlantis"]) {
      expect((await api.request("GET", `next-slots?${query}`)).body).toMatchObject({
        status: 422,
        code: "invalid_request",
      });
    }
  });
});
