import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../core/audit/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import { HookFailures } from "./hook-failures.ts";
import type { Services } from "./route.ts";

const MINUTE_MS = 60_000;

function rig() {
  const clock = createVirtualClock(0);
  const entries: (AuditEntry & { readonly orgId: string })[] = [];
  const troubles: string[] = [];
  const state = { isAway: false };
  const services = {
    store: {
      appendAudit: async (orgId: string, replied: readonly AuditEntry[]) => {
        if (state.isAway) throw new Error("no database");
        entries.push(...replied.map((entry) => ({ ...entry, orgId })));
      },
    },
    config: { now: () => clock.now(), onTrouble: (what: string) => troubles.push(what) },
  } as unknown as Pick<Services, "store" | "config">;
  const failures = new HookFailures((delayMs, work) => clock.after(delayMs, work));
  const fail = (workflow: string, count = 1, orgId = "org_1"): void => {
    for (let time = 0; time < count; time += 1)
      failures.note(services, { orgId, origin: "hook", name: workflow }, "bad_signature");
  };
  const replied = (): readonly string[] =>
    entries.map(({ at, orgId, resource, detail }) => `${at} ${orgId} ${resource} ${JSON.stringify(detail["count"])}`);
  const until = async (at: number): Promise<void> => {
    let isThen = false;
    clock.after(at - clock.now(), () => {
      isThen = true;
    });
    await clock.run(() => isThen);
  };
  return { clock, entries, troubles, state, failures, fail, replied, until };
}

describe("messages that are not believed", () => {
  it("are recorded at once, and a flood once a minute with its count", async () => {
    const { entries, fail, replied, until } = rig();
    fail("hello", 5_000);
    expect(replied()).toEqual(["0 org_1 hook/hello 1"]);
    expect(entries[0]).toMatchObject({
      type: "auth.failed",
      category: "security",
      actor: "hook:hello",
      detail: { reason: "bad_signature", count: 1 },
    });
    await until(MINUTE_MS - 1);
    expect(replied()).toHaveLength(1);
    await until(MINUTE_MS + 1);
    expect(replied().slice(1)).toEqual([`${MINUTE_MS} org_1 hook/hello 4999`]);
    fail("hello", 2);
    expect(replied()).toHaveLength(2);
    await until(2 * MINUTE_MS + 1);
    expect(replied().slice(2)).toEqual([`${2 * MINUTE_MS} org_1 hook/hello 2`]);
  });

  it("are forgotten after a quiet minute, so that the next is recorded at once again", async () => {
    const { fail, replied, until } = rig();
    fail("hello");
    await until(3 * MINUTE_MS);
    expect(replied()).toHaveLength(1);
    fail("hello");
    expect(replied().slice(1)).toEqual([`${3 * MINUTE_MS} org_1 hook/hello 1`]);
  });

  it("are counted by workflow and organisation", () => {
    const { fail, replied } = rig();
    fail("hello", 2);
    fail("other");
    fail("hello", 1, "org_2");
    expect(replied()).toEqual(["0 org_1 hook/hello 1", "0 org_1 hook/other 1", "0 org_2 hook/hello 1"]);
  });

  it("stop nothing when they cannot be recorded, and end with the server", async () => {
    const { clock, state, failures, fail, troubles, entries } = rig();
    state.isAway = true;
    fail("hello", 2);
    await clock.run(() => troubles.length > 0);
    expect(troubles).toEqual(["a message to a hook that was not believed could not be audited"]);
    state.isAway = false;
    failures.close();
    await clock.run(() => clock.now() > 10 * MINUTE_MS);
    expect(entries).toEqual([]);
  });
});
