import { expect, it } from "vitest";
import type { ReplicaStore } from "../../store/index.ts";
import { Lease } from "./lease.ts";

it("a lease counts from when it was asked for, however long the database takes to answer", async () => {
  let now = 0;
  let takesMs = 0;
  const store: Pick<ReplicaStore, "registerReplica" | "renewReplica"> = {
    registerReplica: async () => undefined,
    renewReplica: async () => {
      now += takesMs;
      return true;
    },
  };
  const lease = new Lease(store as ReplicaStore, () => now);
  await lease.register(false);
  now = 3_000;
  takesMs = 8_000;
  expect(await lease.renewIfDue()).toBe("renewed");
  // Asked for at 3,000 and answered at 11,000: from 13,000 on another replica may take over what this one has.
  now = 12_999;
  expect(lease.isHeld).toBe(true);
  now = 13_000;
  expect(lease.isHeld).toBe(false);
});
