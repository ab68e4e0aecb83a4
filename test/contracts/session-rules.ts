import { describe, expect, it } from "vitest";
import type { NewSession, Store } from "../../src/store/index.ts";
import { settle } from "./people-rules.ts";
import type { SubjectOf } from "./store-contract.ts";

const HOUR = 3_600_000;
const IDLE = 12 * HOUR;
const LIFE = 7 * 24 * HOUR;

export const session = (id: string, parts: Partial<NewSession> = {}): NewSession => ({
  id,
  hash: `hash of ${id}`,
  personId: "per_ann",
  keyId: null,
  orgId: null,
  userAgent: "a browser",
  ip: "192.0.2.1",
  ...parts,
});

export function sessionRules(subjectOf: SubjectOf): void {
  const find = async (store: Store, id: string, isUse = true) =>
    (await store.findSession(`hash of ${id}`, { idleMs: IDLE, isUse }))?.id;

  describe("sessions", () => {
    it("end without use, after their life, and by revocation, all by database time", async () => {
      const { store, rival, passTime } = subjectOf();
      const put = await store.putSession(session("ses_1"), LIFE);
      expect(put).toMatchObject({ id: "ses_1", revokedAt: null, lastSeenAt: put.createdAt });
      expect(put.expiresAt - put.createdAt).toBe(LIFE);
      await store.putSession(session("ses_2"), LIFE);
      await store.putSession(session("ses_3"), LIFE);
      expect(await store.revokeSession("ses_3")).toBe(true);
      expect(await store.revokeSession("ses_9")).toBe(false);
      await passTime(IDLE - HOUR);
      expect([await find(store, "ses_1"), await find(store, "ses_2", false), await find(store, "ses_3")]).toEqual([
        "ses_1",
        "ses_2",
        undefined,
      ]);
      await passTime(2 * HOUR);
      expect([await find(rival, "ses_1"), await find(rival, "ses_2")]).toEqual(["ses_1", undefined]);
      for (let times = 0; times < 16; times += 1) {
        await passTime(10 * HOUR);
        await find(store, "ses_1");
      }
      expect(await find(store, "ses_1")).toBeUndefined();
    });

    it("are listed for a person, a key and an organisation", async () => {
      const { store } = subjectOf();
      await settle(store);
      await store.putSession(session("ses_ann"), LIFE);
      await store.putSession(session("ses_bob", { personId: "per_bob" }), LIFE);
      await store.putSession(session("ses_key", { personId: null, keyId: "key_1", orgId: "org_1" }), LIFE);
      await store.putSession(session("ses_far", { personId: null, keyId: "key_2", orgId: "org_2" }), LIFE);
      await store.putSession(session("ses_zoe", { personId: "per_zoe" }), LIFE);
      const ids = async (of: Parameters<Store["listSessions"]>[0]) =>
        (await store.listSessions(of, IDLE)).map(({ id }) => id).toSorted();
      expect(await ids({ personId: "per_ann" })).toEqual(["ses_ann"]);
      expect(await ids({ keyId: "key_1" })).toEqual(["ses_key"]);
      expect(await ids({ organisation: "org_1" })).toEqual(["ses_ann", "ses_bob", "ses_key"]);
      await store.revokeSession("ses_ann");
      expect(await ids({ personId: "per_ann" })).toEqual([]);
    });

    it("of streams end with their session, its person, and the membership", async () => {
      const { store, passTime } = subjectOf();
      await settle(store);
      for (const id of ["ses_1", "ses_2"]) await store.putSession(session(id), LIFE);
      await store.putSession(session("ses_bob", { personId: "per_bob" }), LIFE);
      await store.putSession(session("ses_key", { personId: null, keyId: "key_1", orgId: "org_1" }), LIFE);
      const watched = ["ses_1", "ses_2", "ses_bob", "ses_key", "ses_9"].map((id) => ({ id, orgId: "org_1" }));
      const ended = async () => (await store.listEndedSessions(watched, IDLE)).map(({ id }) => id).toSorted();
      expect(await ended()).toEqual(["ses_9"]);
      expect(await store.listEndedSessions([{ id: "ses_1", orgId: "org_2" }], IDLE)).toHaveLength(1);
      await store.revokeSession("ses_1");
      await store.removeMember("org_1", "per_bob");
      expect(await ended()).toEqual(["ses_1", "ses_9", "ses_bob"]);
      await store.setPersonDisabled("per_ann", true);
      expect(await ended()).toEqual(["ses_1", "ses_2", "ses_9", "ses_bob"]);
      await passTime(IDLE);
      expect(await ended()).toContain("ses_key");
    });
  });
}
