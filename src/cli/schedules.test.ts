import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ORG } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";
import { createVirtualClock } from "../clock/index.ts";
import { nextSlots } from "../outside/schedule/index.ts";
import { serve } from "../server/index.ts";

const NOW = Date.UTC(2026, 5, 1, 12);

let api: Api;
let served: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  api = await createApi({ now: () => NOW, nextSlots });
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  const cron = { workflow: "report", cron: "30 14 * * *", timezone: "Europe/Berlin" };
  for (const id of ["nightly", "fresh"]) await api.request("PUT", `schedules/${id}`, { body: cron });
  await api.request("PUT", "schedules/idle", { body: { ...cron, enabled: false } });
  const cursor = await api.store.startCursor({ orgId: ORG, scheduleId: "nightly", edition: "1", lookedUntil: 0 });
  const slots = [{ slotAt: NOW - 60_000, state: "skipped", reason: "missed:\n\u001b[31mnobody" } as const];
  await api.store.claimSlots({ cursor, lookedUntil: NOW, workflow: "report", slots, claimedBy: "a", at: NOW });
});
afterAll(async () => {
  await served.close(0);
  await api.close();
});

const slotsOf = (...argv: readonly string[]) =>
  callSluice(["schedules", "slots", ...argv], {
    env: { SLUICE_URL: served.url, SLUICE_KEY: ADMIN },
    clock: createVirtualClock(NOW),
  });

describe("sluice schedules slots", () => {
  it("shows what became of slots, and the next", async () => {
    const { code, out, err } = await slotsOf("nightly");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^SLOT +STATE +WHEN +RUN +REASON\n2026-06-01T11:59:00.000Z +skipped +1 min 00 s ago +– +missed:/,
    );
    expect(out).not.toContain("\u001b");
    expect(err).toMatch(/^next: 2026-06-01T12:30:00.000Z \(in 30 min 00 s\), 2026-06-02T12:30:00.000Z/);
  });

  it("reports when there is nothing to show", async () => {
    expect((await slotsOf("fresh")).err).toMatch(/^none of its slots is due yet\nnext: /);
    expect((await slotsOf("idle")).err).toBe("none of its slots is due yet\nthere is no next slot\n");
  });

  it("prints what the API answers", async () => {
    const { out, err } = await slotsOf("nightly", "--json", "--limit", "1");
    expect(JSON.parse(out)).toMatchObject({ data: [{ state: "skipped" }], nextSlots: { length: 5 } });
    expect(err).toBe("");
  });

  it("reports a schedule that is not there", async () => {
    const { code, err } = await slotsOf("none");
    expect(code).toBe(2);
    expect(err).toContain("unknown_schedule");
  });
});
