import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import type { NamedMembers, NewInvitation, SeenPerson, Store } from "../../src/store/index.ts";
import { session } from "./session-rules.ts";
import { key } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const HOUR = 3_600_000;
const LIFE = 7 * 24 * HOUR;
const PAGE = { limit: 10, cursor: null };

const seen = (id: string, parts: Partial<SeenPerson> = {}): SeenPerson => ({
  id,
  issuer: "https://login.test",
  subject: `sub of ${id}`,
  email: `${id}@example.com`,
  name: `Name of ${id}`,
  ...parts,
});

const invitation = (id: string, parts: Partial<NewInvitation> = {}): NewInvitation => ({
  id,
  orgId: "org_1",
  email: "ann@example.com",
  roles: ["author"],
  groups: ["finance"],
  hash: `hash of ${id}`,
  createdBy: "key_1",
  ...parts,
});

/** Ann is the only admin, Bob a member with roles from claims. */
export async function settle(store: Store): Promise<void> {
  await store.keepPerson(seen("per_ann"));
  await store.keepPerson(seen("per_bob"));
  await store.createOrganisation("org_1", "First", "per_ann");
  await store.claimMembership("org_1", "per_bob", { roles: ["viewer"], groups: ["legal"] });
}

export function peopleRules(subjectOf: SubjectOf): void {
  describe("persons", () => {
    it("are found by issuer and subject, under one id, with the newest email and name", async () => {
      const { store, rival } = subjectOf();
      const first = await store.keepPerson(seen("per_1", { subject: "ada", email: null }));
      expect(first).toMatchObject({ id: "per_1", email: null, isDisabled: false });
      const again = await rival.keepPerson(seen("per_2", { subject: "ada", name: "Ada" }));
      expect(again).toEqual({ ...first, email: "per_2@example.com", name: "Ada" });
      const elsewhere = await store.keepPerson(seen("per_3", { subject: "ada", issuer: "https://other.test" }));
      expect(elsewhere.id).toBe("per_3");
      expect((await store.listPersonsOfSubject("ada")).map(({ id }) => id)).toEqual(["per_1", "per_3"]);
      expect(await store.setPersonDisabled("per_1", true)).toBe(true);
      expect(await store.getPerson("per_1")).toMatchObject({ isDisabled: true, name: "Ada" });
      expect((await store.keepPerson(seen("per_4", { subject: "ada" }))).isDisabled).toBe(true);
      expect(await store.setPersonDisabled("per_9", true)).toBe(false);
      expect(await store.getPerson("\0")).toBeUndefined();
    });
  });

  describe("organisations", () => {
    it("are made once, with their first admin, and can be renamed", async () => {
      const { store } = subjectOf();
      await store.keepPerson(seen("per_ann"));
      expect(await store.createOrganisation("org_1", "First", "per_ann")).toBe(true);
      expect(await store.createOrganisation("org_1", "Again", "per_ann")).toBe(false);
      expect(await store.createOrganisation("org_2", "Second", null)).toBe(true);
      await store.ensureOrganisation("org_1");
      await store.ensureOrganisation("org_3");
      expect(await store.getOrganisation("org_1")).toMatchObject({ orgId: "org_1", name: "First" });
      expect(await store.getOrganisation("org_3")).toMatchObject({ orgId: "org_3", name: null });
      expect(await store.getOrganisation("org_4")).toBeUndefined();
      expect(await store.renameOrganisation("org_3", "Third")).toBe(true);
      expect(await store.renameOrganisation("org_4", "Fourth")).toBe(false);
      expect(await store.listMemberships("per_ann")).toEqual([
        expect.objectContaining({ orgId: "org_1", assignedRoles: ["admin"], organisationName: "First" }),
      ]);
    });
  });

  describe("members", () => {
    it("have roles and groups from claims, which change, and assigned ones, which stay", async () => {
      const { store } = subjectOf();
      await settle(store);
      await store.claimMembership("org_1", "per_ann", { roles: [], groups: ["board"] });
      const change = { assignedRoles: ["approver"], assignedGroups: ["finance"] };
      expect(await store.changeMember("org_1", "per_bob", change)).toBe("done");
      await store.claimMembership("org_1", "per_bob", { roles: [], groups: [] });
      expect(await store.getMember("org_1", "per_bob")).toMatchObject({
        claimedRoles: [],
        claimedGroups: [],
        assignedRoles: ["approver"],
        assignedGroups: ["finance"],
        email: "per_bob@example.com",
      });
      expect(await store.getMember("org_1", "per_ann")).toMatchObject({
        claimedGroups: ["board"],
        assignedRoles: ["admin"],
      });
      await store.claimMembership("org_1", "per_cem", { roles: [], groups: ["legal"] });
      expect(await store.listMemberships("per_cem")).toEqual([]);
    });

    it("are listed in pages, of one organisation only", async () => {
      const { store } = subjectOf();
      await settle(store);
      await store.createOrganisation("org_2", "Second", "per_bob");
      const first = await store.listMembers("org_1", { limit: 1, cursor: null });
      const second = await store.listMembers("org_1", { limit: 1, cursor: first.nextCursor });
      const ids = [...first.data, ...second.data].map(({ personId }) => personId);
      expect(ids.toSorted()).toEqual(["per_ann", "per_bob"]);
      expect(second.nextCursor).toBeNull();
      expect((await store.listMembers("org_2", PAGE)).data.map(({ personId }) => personId)).toEqual(["per_bob"]);
      expect(await store.getMember("org_2", "per_ann")).toBeUndefined();
    });

    it("are found by id, address, account, group and role, in one organisation", async () => {
      const { store } = subjectOf();
      await settle(store);
      await store.keepPerson(seen("per_eve", { email: null, subject: "eve of all" }));
      await store.claimMembership("org_2", "per_eve", { roles: ["viewer"], groups: ["legal"] });
      await store.changeMember("org_1", "per_ann", { assignedGroups: ["fin 'ance", "legal"] });
      const found = async (named: NamedMembers, orgId = "org_1") =>
        (await store.findMembers(orgId, named)).map(({ personId }) => personId.slice(4)).join(" ");
      expect(await found({})).toBe("");
      expect(await found({ personIds: ["per_bob", "per_eve", "per_none"] })).toBe("bob");
      expect(await found({ emails: ["PER_ANN@Example.com", "x@example.com"] })).toBe("ann");
      const issuer = "https://login.test";
      expect(await found({ accounts: [{ issuer, subject: "sub of per_bob" }] })).toBe("bob");
      expect(await found({ accounts: [{ issuer: "https://other.test", subject: "sub of per_bob" }] })).toBe("");
      expect(await found({ groups: ["legal"] })).toBe("ann bob");
      expect(await found({ groups: ["fin 'ance"] })).toBe("ann");
      expect(await found({ groups: ["lega", "["] })).toBe("");
      expect(await found({ groups: ["legal"] }, "org_2")).toBe("eve");
      expect(await found({ emails: ["per_bob@example.com"], groups: ["fin 'ance"] })).toBe("ann bob");
      expect(await found({ groups: ["legal\0"] })).toBe("");
      await store.changeMember("org_1", "per_bob", { assignedRoles: ["approver", "viewer"] });
      expect(await found({ roles: ["approver"] })).toBe("bob");
      expect(await found({ roles: ["admin", "approver"] })).toBe("ann bob");
      expect(await found({ roles: ["viewer"] }, "org_2")).toBe("eve");
      expect(await found({ roles: ["none"] })).toBe("");
    });

    it("never lose their last admin", async () => {
      const { store, rival } = subjectOf();
      await settle(store);
      expect(await store.removeMember("org_1", "per_ann")).toBe("last_admin");
      expect(await store.changeMember("org_1", "per_ann", { assignedRoles: ["viewer"] })).toBe("last_admin");
      expect(await store.changeMember("org_1", "per_ann", { assignedGroups: ["board"] })).toBe("done");
      expect(await store.removeMember("org_1", "per_zoe")).toBe("unknown");
      expect(await store.changeMember("org_2", "per_ann", {})).toBe("unknown");
      expect(await store.changeMember("org_1", "per_bob", { assignedRoles: ["admin"] })).toBe("done");
      const outcomes = await Promise.all([
        store.removeMember("org_1", "per_ann"),
        rival.removeMember("org_1", "per_bob"),
      ]);
      expect(outcomes.toSorted()).toEqual(["done", "last_admin"]);
      await store.keepPerson(seen("per_cem"));
      await store.claimMembership("org_1", "per_cem", { roles: ["admin"], groups: [] });
      await store.setPersonDisabled("per_cem", true);
      const [left] = (await store.listMembers("org_1", PAGE)).data.filter(({ personId }) => personId !== "per_cem");
      expect(await store.removeMember("org_1", left?.personId ?? "")).toBe("last_admin");
    });

    it("take their keys with them when they are removed, but not those of agents", async () => {
      const { store } = subjectOf();
      await settle(store);
      await store.putKey(key("key_own", { personId: "per_bob" }));
      await store.putKey(key("key_agent", { personId: "per_bob", agentId: "writer" }));
      await store.putKey(key("key_other", { personId: "per_ann" }));
      await store.putKey(key("key_elsewhere", { personId: "per_bob", orgId: "org_2" }));
      expect(await store.removeMember("org_1", "per_bob")).toBe("done");
      expect(await store.listEndedKeys(["key_own", "key_agent", "key_other", "key_elsewhere"])).toEqual(["key_own"]);
      expect(await store.getKey("org_1", "key_own")).toMatchObject({ personId: "per_bob" });
    });

    it("have a deputy between two dates", async () => {
      const { store, passTime } = subjectOf();
      await settle(store);
      const [at] = [(await store.putSession(session("ses_now"), LIFE)).createdAt];
      const deputy = { id: "per_bob", from: at + HOUR, until: at + 2 * HOUR };
      expect(await store.changeMember("org_1", "per_ann", { deputy })).toBe("done");
      const stands = async () =>
        (await store.readStanding("org_1", "per_bob"))?.deputyFor.map(({ personId }) => personId);
      expect(await stands()).toEqual([]);
      await passTime(HOUR + 60_000);
      expect(await stands()).toEqual(["per_ann"]);
      expect((await store.readStanding("org_1", "per_ann"))?.deputyFor).toEqual([]);
      await store.setPersonDisabled("per_ann", true);
      expect(await stands()).toEqual([]);
      await store.setPersonDisabled("per_ann", false);
      await passTime(HOUR);
      expect(await stands()).toEqual([]);
      expect(await store.readStanding("org_1", "per_zoe")).toBeUndefined();
      expect(await store.changeMember("org_1", "per_ann", { deputy: null })).toBe("done");
      expect(await store.getMember("org_1", "per_ann")).toMatchObject({ deputyId: null, deputyUntil: null });
    });
  });

  describe("invitations", () => {
    it("are accepted once, and add to what a member has", async () => {
      const { store, rival } = subjectOf();
      await settle(store);
      await store.changeMember("org_1", "per_bob", { assignedRoles: ["viewer"], assignedGroups: ["legal"] });
      const put = await store.putInvitation(invitation("inv_1"), LIFE);
      expect(put.expiresAt - put.createdAt).toBe(LIFE);
      expect(await store.findInvitation("hash of inv_1")).toEqual(put);
      const taken = await Promise.all([
        store.acceptInvitation("hash of inv_1", "per_bob"),
        rival.acceptInvitation("hash of inv_1", "per_bob"),
      ]);
      expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
      const member = await store.getMember("org_1", "per_bob");
      expect(member).toMatchObject({ assignedRoles: ["viewer", "author"], assignedGroups: ["legal", "finance"] });
      expect(await store.revokeInvitation("org_1", "inv_1")).toBe(false);
      expect(await store.acceptInvitation("hash of nothing", "per_bob")).toBe(false);
    });

    it("end by revocation and by database time, and are listed newest first", async () => {
      const { store, passTime } = subjectOf();
      await settle(store);
      await store.putInvitation(invitation("inv_1"), LIFE);
      await store.putInvitation(invitation("inv_2"), HOUR);
      await store.putInvitation(invitation("inv_3", { orgId: "org_2" }), HOUR);
      expect(await store.revokeInvitation("org_2", "inv_1")).toBe(false);
      expect(await store.revokeInvitation("org_1", "inv_1")).toBe(true);
      expect(await store.acceptInvitation("hash of inv_1", "per_ann")).toBe(false);
      await passTime(HOUR + 1);
      expect(await store.acceptInvitation("hash of inv_2", "per_ann")).toBe(false);
      const listed = (await store.listInvitations("org_1", PAGE)).data.map(({ id }) => id);
      expect(listed.toSorted()).toEqual(["inv_1", "inv_2"]);
    });
  });
}

export function saverRules(subjectOf: SubjectOf): void {
  it("what is registered keeps who changed it last", async () => {
    const { store } = subjectOf();
    const save = (body: { cron: string }, actor: string) =>
      store.applyEntries("org_1", [{ change: "put", kind: "schedule", id: "nightly", body }], 1, [
        auditEntry({ at: 1, type: "config.applied", actor, resource: "schedule/nightly", detail: {} }),
      ]);
    const saver = async (orgId = "org_1") => (await store.getEntry(orgId, "schedule", "nightly"))?.savedBy ?? null;
    expect(await saver()).toBeNull();
    await save({ cron: "0 1 * * *" }, "per_ann");
    await save({ cron: "0 1 * * *" }, "per_bob");
    expect(await saver()).toBe("per_ann");
    await save({ cron: "0 2 * * *" }, "per_bob");
    expect(await saver()).toBe("per_bob");
    expect(await saver("org_2")).toBeNull();
    await store.applyEntries("org_1", [{ change: "delete", kind: "schedule", id: "nightly" }], 2);
    expect(await saver()).toBeNull();
  });
}
