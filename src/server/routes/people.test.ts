import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ADMIN, type Api, type Answer, createApi, ENDLESS, ORG, STRANGER } from "../../../test/api/fixture.ts";
import { type Account, type LocalProvider, startProvider } from "../../../test/oidc/provider.ts";
import { HERE, Visitor } from "../../../test/oidc/visitor.ts";
import { key } from "../../../test/contracts/shares.ts";
import type { KeyRecord } from "../../store/index.ts";
import { answersAs } from "../answers-as.ts";
import { isOfRequester } from "../key-chain.ts";
import { PersonCache } from "../person-cache.ts";
import { NO_PERSON, type Principal } from "../auth.ts";
import { permissionsOf } from "../permission.ts";

const HOUR = 3_600_000;
const FOUR_EYES = "name: four-eyes\nsteps:\n  - { id: decide, approval: required, separate_approver: true }\n";

let provider: LocalProvider;
let api: Api;
const clock = { passed: 0 };
const now = (): number => Date.now() + clock.passed;
beforeAll(async () => {
  provider = await startProvider();
  provider.register([`${HERE}/auth/test/callback`]);
});
afterAll(() => provider.close());
beforeEach(async () => {
  clock.passed = 0;
  api = await createApi({ now, keyCheckMs: 5, heartbeatMs: HOUR }, undefined, { signIn: [provider.signIn()], now });
});
afterEach(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

/** A person in a browser of their own. */
class Member {
  readonly visitor = new Visitor(api.app);
  id = "";
  #csrf = "";

  static async signIn(name: string, account: Account): Promise<Member> {
    provider.accounts.set(name, { email: `${name}@example.com`, email_verified: true, name, ...account });
    const member = new Member();
    const back = await member.visitor.signIn(name);
    expect(back.status).toBe(303);
    const { body } = await member.ask("GET", "session");
    member.id = body.keyId;
    member.#csrf = body.csrfToken;
    return member;
  }

  ask(method: string, path: string, body?: unknown, organisation?: string): Promise<Answer> {
    return api.request(method, path, {
      key: null,
      headers: this.headers(organisation),
      ...(body === undefined ? {} : { body }),
    });
  }

  headers(organisation?: string): Record<string, string> {
    return {
      cookie: this.visitor.cookie,
      origin: HERE,
      "x-sluice-csrf": this.#csrf,
      ...(organisation === undefined ? {} : { "x-sluice-organisation": organisation }),
    };
  }
}

const codeOf = ({ status, body }: Answer): unknown => [status, body.code];
const actorsOf = async (type: string): Promise<unknown> => {
  const { body } = await api.request("GET", `audit?type=${type}`);
  return body.data.map(({ actor, resource }: { actor: string; resource: string }) => [actor, resource]);
};

describe("the organisation of a request", () => {
  it("is named on every request of a person who has several, and is one of theirs", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    expect((await ann.ask("POST", "organisations", { id: "second", name: "Second" })).body).toMatchObject({
      id: "second",
      roles: ["admin"],
      key: null,
    });
    await ann.ask("PUT", "workflows/endless", { source: ENDLESS }, "second");
    expect(codeOf(await ann.ask("GET", "workflows"))).toEqual([400, "organisation_required"]);
    expect((await ann.ask("GET", "workflows", undefined, "second")).body.data).toHaveLength(1);
    expect((await ann.ask("GET", "workflows", undefined, ORG)).body.data).toHaveLength(0);
    expect((await ann.ask("GET", "workflows?organisation=second")).body.data).toHaveLength(1);
    expect(codeOf(await ann.ask("GET", "workflows?organisation=second", undefined, ORG))).toEqual([
      400,
      "organisation_required",
    ]);
    for (const organisation of ["other", "nothing", "", "\u00fc"]) {
      expect(codeOf(await ann.ask("GET", "workflows", undefined, organisation))).toEqual([404, "unknown_organisation"]);
    }
    expect(codeOf(await ann.ask("POST", "organisations", { id: "second" }, ORG))).toEqual([409, "organisation_exists"]);
    const { body } = await ann.ask("GET", "organisations");
    expect(body.data).toEqual([
      { id: ORG, name: ORG, roles: ["admin"], groups: [] },
      { id: "second", name: "Second", roles: ["admin"], groups: [] },
    ]);
    const renamed = await ann.ask("PATCH", "organisations/second", { name: "The second" }, "second");
    expect(renamed.body).toMatchObject({ id: "second", name: "The second" });
    expect(codeOf(await ann.ask("PATCH", "organisations/second", { name: "x" }, ORG))).toEqual([
      404,
      "unknown_organisation",
    ]);
  });

  it("is that of the key, and no other", async () => {
    const headers = { "x-sluice-organisation": ORG };
    expect((await api.request("GET", "runs", { headers })).status).toBe(200);
    expect(codeOf(await api.request("GET", "runs", { key: STRANGER, headers }))).toEqual([404, "unknown_organisation"]);
    const made = await api.request("POST", "organisations", { body: { id: "third" } });
    expect(made.status).toBe(201);
    const { body } = await api.request("GET", "session", { key: made.body.key.key });
    expect(body).toMatchObject({ organisation: "third", organisations: [{ id: "third", name: "third" }] });
  });
});

describe("a session", () => {
  it("is listed and revoked by its person, and ends its streams", async () => {
    await api.save(ENDLESS);
    const ann = await Member.signIn("ann", { sluice_role: "viewer" });
    const elsewhere = await Member.signIn("ann", { sluice_role: "viewer" });
    const bob = await Member.signIn("bob", { sluice_role: "viewer" });
    const { body } = await ann.ask("GET", "sessions");
    expect(body.data).toHaveLength(2);
    expect(body.data[1]).toMatchObject({ isCurrent: true, person: ann.id, userAgent: "a visitor", key: null });
    const foreign = body.data[0].id;
    expect(codeOf(await bob.ask("DELETE", `sessions/${foreign}`))).toEqual([404, "unknown_session"]);
    expect(codeOf(await ann.ask("GET", "sessions?scope=organisation"))).toEqual([403, "forbidden"]);
    const stream = api.ask("GET", "live", { key: null, headers: elsewhere.headers() }).then((answer) => answer.text());
    const staying = api.ask("GET", "live", { key: null, headers: ann.headers() });
    await expect.poll(() => api.app.streams().open).toBe(2);
    expect((await ann.ask("DELETE", `sessions/${foreign}`)).status).toBe(204);
    expect(await stream).toMatch(/event: auth\.expired/);
    expect(api.app.streams().open).toBe(1);
    expect(codeOf(await elsewhere.ask("GET", "runs"))).toEqual([401, "unauthenticated"]);
    await staying;
    expect(await actorsOf("session.ended")).toEqual([[ann.id, `session/${foreign}`]]);
  });

  it("that another replica revoked ends its streams, and so does a membership that ended", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "viewer" });
    const bob = await Member.signIn("bob", { sluice_role: "viewer" });
    const streams = [ann, bob].map(async (one) =>
      (await api.ask("GET", "live", { key: null, headers: one.headers() })).text(),
    );
    await expect.poll(() => api.app.streams().open).toBe(2);
    const { sessionId } = (await ann.ask("GET", "session")).body;
    await api.store.revokeSession(sessionId);
    await api.store.removeMember(ORG, bob.id);
    for (const text of await Promise.all(streams)) expect(text).toMatch(/event: auth\.expired/);
  });

  it("ends after twelve hours without use, and after seven days", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "viewer" });
    clock.passed += 12 * HOUR - 60_000;
    expect((await ann.ask("GET", "runs")).status).toBe(200);
    clock.passed += 12 * HOUR - 60_000;
    expect((await ann.ask("GET", "runs")).status).toBe(200);
    clock.passed += 12 * HOUR;
    expect(codeOf(await ann.ask("GET", "runs"))).toEqual([401, "unauthenticated"]);
    const again = await Member.signIn("ann", { sluice_role: "viewer" });
    for (let hours = 0; hours < 16; hours += 1) {
      clock.passed += 10 * HOUR;
      expect((await again.ask("GET", "runs")).status).toBe(200);
    }
    clock.passed += 9 * HOUR;
    expect(codeOf(await again.ask("GET", "runs"))).toEqual([401, "unauthenticated"]);
  });

  it("ends at sign-out, which another site cannot ask for", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "viewer" });
    const { csrfToken } = (await ann.ask("GET", "session")).body;
    const { cookie } = ann.visitor;
    const end = (headers: Record<string, string>, body = "") =>
      ann.visitor.go("/session/end", { method: "POST", body, headers });
    expect((await end({ origin: "http://evil.example" })).status).toBe(403);
    expect((await end({ origin: HERE })).status).toBe(403);
    expect((await end({ origin: HERE, cookie }, `csrf=${csrfToken}`)).headers.get("location")).toBe("/");
    expect((await api.request("GET", "session", { key: null, headers: { cookie } })).status).toBe(401);
  });

  it("is opened by a key too, and ends with it", async () => {
    const secret = await api.key("viewer");
    const visitor = new Visitor(api.app);
    expect((await visitor.go("/session", { method: "POST", body: `key=${secret}` })).status).toBe(303);
    expect(visitor.cookie).not.toContain(secret);
    const headers = { cookie: visitor.cookie };
    const { body } = await api.request("GET", "session", { key: null, headers });
    expect(body).toMatchObject({ organisation: ORG, person: null });
    expect((await api.request("GET", "sessions?scope=organisation")).body.data[0]).toMatchObject({ key: body.keyId });
    await api.request("DELETE", `keys/${body.keyId}`);
    expect(codeOf(await api.request("GET", "runs", { key: null, headers }))).toEqual([401, "unauthenticated"]);
  });
});

describe("members", () => {
  it("are listed and changed by admins, and the last admin stays", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const bob = await Member.signIn("bob", { sluice_role: "viewer", groups: ["legal"] });
    const { body } = await bob.ask("GET", "persons");
    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(["ann@example.com", "bob@example.com"]);
    const change = { roles: ["approver"], groups: ["finance"] };
    expect(codeOf(await bob.ask("PATCH", `persons/${bob.id}`, change))).toEqual([403, "forbidden"]);
    const { body: changed } = await ann.ask("PATCH", `persons/${bob.id}`, change);
    expect(changed).toMatchObject({
      roles: [
        { name: "viewer", source: "claims" },
        { name: "approver", source: "assigned" },
      ],
      groups: [
        { name: "legal", source: "claims" },
        { name: "finance", source: "assigned" },
      ],
    });
    expect((await bob.ask("GET", "session")).body.permissions).toContain("governance:approve");
    expect(codeOf(await ann.ask("DELETE", `persons/${ann.id}`))).toEqual([409, "last_admin"]);
    expect(codeOf(await ann.ask("POST", `organisations/${ORG}/leave`))).toEqual([409, "last_admin"]);
    expect((await bob.ask("POST", `organisations/${ORG}/leave`)).status).toBe(204);
    expect(codeOf(await bob.ask("GET", "runs"))).toEqual([403, "no_membership"]);
    expect(codeOf(await ann.ask("GET", `persons/${bob.id}`))).toEqual([404, "unknown_person"]);
    expect(await actorsOf("person.changed")).toEqual([[ann.id, `person/${bob.id}`]]);
    expect(await actorsOf("person.removed")).toEqual([[bob.id, `person/${bob.id}`]]);
  });

  it("cannot be given, or lose, what the one who changes them does not have", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const key = await api.key(["keys:manage", "governance:read"]);
    expect(codeOf(await api.request("DELETE", `persons/${ann.id}`, { key }))).toEqual([403, "forbidden"]);
    const body = { email: "eve@example.com", roles: ["admin"] };
    expect(codeOf(await api.request("POST", "invitations", { key, body }))).toEqual([403, "forbidden"]);
  });

  it("are disabled only by the one organisation they belong to", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const bob = await Member.signIn("bob", { sluice_role: "admin" });
    await bob.ask("POST", "organisations", { id: "elsewhere" });
    expect(codeOf(await ann.ask("PATCH", `persons/${bob.id}`, { disabled: true }))).toEqual([409, "member_elsewhere"]);
  });
});

describe("an invitation", () => {
  const inviteZoe = async () => {
    const body = { email: "Zoe@example.com", roles: ["author"], groups: ["writers"] };
    const made = await api.request("POST", "invitations", { body });
    expect(made.body).toMatchObject({ state: "open", email: "zoe@example.com", roles: ["author"] });
    return { id: made.body.id as string, path: made.body.link.slice(HERE.length) as string };
  };
  const formOf = (text: string, name: string): string =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "";

  it("leads through sign-in to a membership, once", async () => {
    const { path } = await inviteZoe();
    provider.accounts.set("zoe", { email: "zoe@example.com", email_verified: true, name: "Zoe" });
    const visitor = new Visitor(api.app);
    const shown = await (await visitor.go(path)).text();
    expect(shown).toContain("Sign in with zoe@example.com to accept");
    const start = /href="([^"]*)"/.exec(shown.slice(shown.indexOf("/auth/") - 10))?.[1] ?? "";
    const back = await visitor.signIn("zoe", start);
    expect(back.headers.get("location")).toBe(path);
    const ready = await (await visitor.go(path)).text();
    const form = new URLSearchParams({ token: formOf(ready, "token"), csrf: formOf(ready, "csrf") });
    const forged = new URLSearchParams({ token: formOf(ready, "token"), csrf: "x" });
    expect((await visitor.go("/invite", { method: "POST", body: forged.toString() })).status).toBe(403);
    const accepted = await visitor.go("/invite", { method: "POST", body: form.toString() });
    expect(accepted.headers.get("location")).toBe("/o/default/");
    const { body } = await api.request("GET", "session", { key: null, headers: { cookie: visitor.cookie } });
    expect(body).toMatchObject({ organisation: ORG, person: { groups: ["writers"] } });
    expect((await visitor.go("/invite", { method: "POST", body: form.toString() })).status).toBe(410);
    expect((await visitor.go(path)).status).toBe(410);
  });

  it("is for one email, and ends by revocation and after seven days", async () => {
    const { id, path } = await inviteZoe();
    const eve = await Member.signIn("eve", {});
    const shown = await (await eve.visitor.go(path)).text();
    expect(shown).toContain("You are signed in as eve@example.com");
    const { csrfToken } = (await eve.ask("GET", "session")).body;
    const token = new URL(path, HERE).searchParams.get("token") ?? "";
    const body = new URLSearchParams({ token, csrf: csrfToken }).toString();
    expect((await eve.visitor.go("/invite", { method: "POST", body })).headers.get("location")).toBe(path);
    expect((await eve.ask("GET", "session")).body.organisation).toBeNull();
    expect(codeOf(await api.request("DELETE", `invitations/${id}`, { key: STRANGER }))).toEqual([
      404,
      "unknown_invitation",
    ]);
    expect((await api.request("DELETE", `invitations/${id}`)).status).toBe(204);
    expect((await eve.visitor.go(path)).status).toBe(410);
    const later = await inviteZoe();
    clock.passed += 7 * 24 * HOUR;
    expect((await eve.visitor.go(later.path)).status).toBe(410);
    const { body: list } = await api.request("GET", "invitations");
    expect(list.data.map(({ state }: { state: string }) => state).toSorted()).toEqual(["expired", "revoked"]);
  });
});

describe("the requester", () => {
  it("is a person, whatever session or key they come with", async () => {
    await api.save(FOUR_EYES);
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    const mint = async (key: string | null, label: string) => {
      const asked = { body: { label, role: "admin" }, headers: key === null ? ann.headers() : {}, key };
      return (await api.request("POST", "keys", asked)).body;
    };
    const first = await mint(null, "first");
    expect(first).toMatchObject({ createdBy: ann.id, person: ann.id });
    const second = await mint(first.key, "second");
    expect(second).toMatchObject({ createdBy: first.id, person: ann.id });
    const { body: run } = await ann.ask("POST", "runs", { workflow: "four-eyes" });
    await api.settle(run.id);
    expect((await api.store.getRun(ORG, run.id))?.startedBy).toBe(ann.id);
    const [{ id }] = (await api.request("GET", "approvals?status=pending")).body.data;
    const answer = { decision: "approve" };
    expect(codeOf(await ann.ask("POST", `approvals/${id}/resolve`, answer))).toEqual([403, "self_approval"]);
    for (const { key } of [first, second]) {
      const refused = await api.request("POST", `approvals/${id}/resolve`, { key, body: answer });
      expect(codeOf(refused)).toEqual([403, "self_approval"]);
    }
    // An answer from a page counts for what the page has shown.
    expect(codeOf(await bob.ask("POST", `approvals/${id}/resolve`, answer))).toEqual([422, "digest_required"]);
    const { subjectDigest } = (await bob.ask("GET", `approvals/${id}`)).body;
    expect((await bob.ask("POST", `approvals/${id}/resolve`, { ...answer, subjectDigest })).body).toMatchObject({
      status: "approved",
      resolvedBy: "bob@example.com",
    });
    const started = await api.request("POST", "runs", { key: second.key, body: { workflow: "four-eyes" } });
    await api.settle(started.body.id);
    const [{ id: next }] = (await api.request("GET", "approvals?status=pending")).body.data;
    expect(codeOf(await ann.ask("POST", `approvals/${next}/resolve`, answer))).toEqual([403, "self_approval"]);
  });
});

describe("approvers", () => {
  it("are people of a group, each of whom counts once, whichever key they use", async () => {
    const asking = "{ id: decide, approval: required, approvers: ['role:finance'], quorum: 2 }";
    await api.save(`name: pay\nsteps:\n  - ${asking}\n`);
    const ann = await Member.signIn("ann", { sluice_role: "admin", groups: ["finance"] });
    const bob = await Member.signIn("bob", { sluice_role: "approver", groups: ["finance"] });
    const eve = await Member.signIn("eve", { sluice_role: "approver", groups: ["sales"] });
    const { key } = (await ann.ask("POST", "keys", { label: "of ann", role: "approver" })).body;
    await api.run("pay");
    const [{ id, subjectDigest }] = (await api.request("GET", "approvals?status=pending")).body.data;
    const body = { decision: "approve", subjectDigest };
    const refused = await eve.ask("POST", `approvals/${id}/resolve`, body);
    expect(codeOf(refused)).toEqual([403, "not_an_approver"]);
    expect(refused.body.detail).toContain("role:finance");
    expect((await api.request("POST", `approvals/${id}/resolve`, { key, body })).body).toMatchObject({
      status: "pending",
      answers: [{ by: "of ann", personId: ann.id }],
    });
    expect(codeOf(await ann.ask("POST", `approvals/${id}/resolve`, body))).toEqual([409, "already_answered"]);
    expect((await bob.ask("POST", `approvals/${id}/resolve`, body)).body).toMatchObject({
      status: "approved",
      answers: [{ personId: ann.id }, { personId: bob.id }],
    });
  });
});

describe("an approval by several people", () => {
  const start = async (): Promise<string> => {
    await api.save("name: several\nsteps:\n  - { id: decide, approval: required, quorum: 2 }\n");
    await api.run("several");
    return (await api.request("GET", "approvals?status=pending")).body.data[0].id;
  };

  it("counts a person once, also with the key that they have made for another one", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    const made = await ann.ask("POST", "keys", { label: "of bob", role: "approver", person: bob.id });
    const ofBob = { key: made.body.key, body: { decision: "approve" } };

    const first = await start();
    const { subjectDigest } = (await api.request("GET", `approvals/${first}`)).body;
    const body = { decision: "approve", subjectDigest };
    expect((await api.request("POST", `approvals/${first}/resolve`, ofBob)).body.answers).toHaveLength(1);
    expect(codeOf(await ann.ask("POST", `approvals/${first}/resolve`, body))).toEqual([409, "already_answered"]);
    expect((await bob.ask("POST", `approvals/${first}/resolve`, body)).body.code).toBe("already_answered");
    const eve = await Member.signIn("eve", { sluice_role: "approver" });
    expect((await eve.ask("POST", `approvals/${first}/resolve`, body)).body.status).toBe("approved");

    const second = await start();
    const at = (await api.request("GET", `approvals/${second}`)).body.subjectDigest;
    const both = await Promise.all([
      ann.ask("POST", `approvals/${second}/resolve`, { decision: "approve", subjectDigest: at }),
      api.request("POST", `approvals/${second}/resolve`, ofBob),
    ]);
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it("counts the operator and a key that the operator has made for a person as two", async () => {
    const { body: made } = await api.request("POST", "keys", { body: { label: "of ann", role: "approver" } });
    const id = await start();
    const body = { decision: "approve" };
    await api.request("POST", `approvals/${id}/resolve`, { body });
    const answered = await api.request("POST", `approvals/${id}/resolve`, { key: made.key, body });
    expect(answered.body.status).toBe("approved");
  });

  it("takes the answers of two who answer at once", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "approver" });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    const id = await start();
    const { subjectDigest } = (await api.request("GET", `approvals/${id}`)).body;
    const body = { decision: "approve", subjectDigest };
    const answers = await Promise.all([ann, bob].map((one) => one.ask("POST", `approvals/${id}/resolve`, body)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await api.request("GET", `approvals/${id}`)).body.status).toBe("approved");
  });
});

describe("an approval that asks for a group", () => {
  const ASKED =
    "name: asked\nsteps:\n  - { id: decide, approval: required, separate_approver: true, approvers: [{ who: role:finance }] }\n";
  const answer = { decision: "approve" };
  const pending = async (): Promise<string> => (await api.request("GET", "approvals?status=pending")).body.data[0].id;

  it("is answered by its members and their deputies, and by no other person", async () => {
    await api.save(ASKED);
    const ann = await Member.signIn("ann", { sluice_role: "approver", groups: ["finance"] });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    await api.run("asked");
    const id = await pending();
    const resolve = `approvals/${id}/resolve`;
    expect(codeOf(await bob.ask("POST", resolve, answer))).toEqual([403, "not_an_approver"]);
    const until = new Date(now() + HOUR).toISOString();
    expect((await ann.ask("PUT", "me/deputy", { person: bob.id, until })).status).toBe(200);
    clock.passed += 2 * HOUR;
    expect(codeOf(await bob.ask("POST", resolve, answer))).toEqual([403, "not_an_approver"]);
    const later = new Date(now() + HOUR).toISOString();
    await ann.ask("PUT", "me/deputy", { person: bob.id, until: later });
    const { subjectDigest } = (await bob.ask("GET", `approvals/${id}`)).body;
    expect((await bob.ask("POST", resolve, { ...answer, subjectDigest })).body).toMatchObject({
      status: "approved",
      answers: [{ personId: bob.id, decision: "approve" }],
    });
  });

  it("records every answer of a person who may not give it, with who it was and why", async () => {
    await api.save(ASKED);
    const ann = await Member.signIn("ann", { sluice_role: "admin", groups: ["finance"] });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    const { body: minted } = await ann.ask("POST", "keys", { label: "of ann", role: "admin" });
    const { body: run } = await ann.ask("POST", "runs", { workflow: "asked" });
    await api.settle(run.id);
    const id = await pending();
    const resolve = `approvals/${id}/resolve`;
    const until = new Date(now() + HOUR).toISOString();
    await ann.ask("PUT", "me/deputy", { person: bob.id, until });
    clock.passed += 2 * HOUR;
    expect(codeOf(await bob.ask("POST", resolve, answer))).toEqual([403, "not_an_approver"]);
    expect(codeOf(await ann.ask("POST", resolve, answer))).toEqual([403, "self_approval"]);
    const byKey = await api.request("POST", resolve, { key: minted.key, body: answer });
    expect(codeOf(byKey)).toEqual([403, "self_approval"]);
    const { data } = (await api.request("GET", `audit?type=approval.refused&run=${run.id}&limit=100`)).body;
    const recorded = data.map(({ actor, detail }: { actor: string; detail: { code: string } }) => [actor, detail.code]);
    expect(new Map(recorded)).toEqual(
      new Map([
        [bob.id, "not_an_approver"],
        [ann.id, "self_approval"],
        [minted.id, "self_approval"],
      ]),
    );
  });

  it("is not answered by the deputy in the name of the person who requested it", async () => {
    await api.save(ASKED);
    const ann = await Member.signIn("ann", { sluice_role: ["approver", "operator"], groups: ["finance"] });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    await ann.ask("PUT", "me/deputy", { person: bob.id, until: new Date(now() + HOUR).toISOString() });
    const { body: run } = await ann.ask("POST", "runs", { workflow: "asked" });
    await api.settle(run.id);
    expect(codeOf(await bob.ask("POST", `approvals/${await pending()}/resolve`, answer))).toEqual([
      403,
      "not_an_approver",
    ]);
  });

  it("of a run that started by itself is requested by the person who last saved what started it", async () => {
    await api.save(FOUR_EYES);
    const ann = await Member.signIn("ann", { sluice_role: "admin" });
    const bob = await Member.signIn("bob", { sluice_role: "admin" });
    const schedule = (hour: number) => ({ workflow: "four-eyes", cron: `0 ${hour} * * *` });
    expect((await bob.ask("PUT", "schedules/nightly", schedule(1))).status).toBeLessThan(300);
    expect((await ann.ask("PUT", "schedules/nightly", schedule(2))).status).toBeLessThan(300);
    expect((await bob.ask("PUT", "schedules/nightly", schedule(2))).status).toBeLessThan(300);
    expect((await ann.ask("PUT", "hooks/four-eyes", {})).status).toBe(201);
    for (const starter of ["schedule:nightly", "hook:four-eyes"]) {
      expect(await isOfRequester(api.store, ORG, ann.id, starter)).toBe(true);
      expect(await isOfRequester(api.store, ORG, bob.id, starter)).toBe(false);
    }
  });
});

describe("a deputy", () => {
  const principalOf = async (id: string): Promise<Principal> => {
    const member = await new PersonCache(api.store, now).memberOf(ORG, id);
    if (member === null) throw new Error("no member");
    const { names, label, deputyFor } = member;
    const plain = { orgId: ORG, keyId: id, label, agentId: null, permissions: new Set<string>(), expiresAt: null };
    return { ...plain, ...NO_PERSON, personId: id, groups: names.groups, person: names, deputyFor };
  };
  const names = (id: string, name: string, groups: readonly string[]): string[] => [
    `user:${id}`,
    `user:${name}@example.com`,
    `user:${provider.issuer} ${name}`,
    ...groups.flatMap((group) => [`role:${group}`, `team:${group}`]),
  ];

  it("answers in the names of the other between two dates, and not outside them", async () => {
    const ann = await Member.signIn("ann", { sluice_role: "approver", groups: ["finance"] });
    const bob = await Member.signIn("bob", { sluice_role: "approver" });
    const at = (ms: number): string => new Date(now() + ms).toISOString();
    expect(codeOf(await ann.ask("PUT", "me/deputy", { person: ann.id, until: at(HOUR) }))).toEqual([
      422,
      "invalid_request",
    ]);
    expect(codeOf(await ann.ask("PUT", "me/deputy", { person: bob.id, until: at(-1) }))).toEqual([
      422,
      "invalid_request",
    ]);
    expect(codeOf(await ann.ask("PUT", "me/deputy", { person: "per_9", until: at(HOUR) }))).toEqual([
      404,
      "unknown_person",
    ]);
    expect(codeOf(await api.request("PUT", "me/deputy", { body: {} }))).toEqual([403, "no_person"]);
    const set = await ann.ask("PUT", "me/deputy", { person: bob.id, from: at(HOUR), until: at(2 * HOUR) });
    expect(set.body.deputy).toMatchObject({ person: bob.id, label: "bob@example.com", isActive: false });
    const own = names(bob.id, "bob", []);
    const both = [...own, ...names(ann.id, "ann", ["finance"])];
    expect(await answersAs(api.store, await principalOf(bob.id))).toEqual(own);
    clock.passed += HOUR + 1_000;
    expect(await answersAs(api.store, await principalOf(bob.id))).toEqual(both);
    expect(await answersAs(api.store, await principalOf(bob.id), [ann.id])).toEqual(own);
    clock.passed += HOUR;
    expect(await answersAs(api.store, await principalOf(bob.id))).toEqual(own);
    expect((await ann.ask("DELETE", "me/deputy")).body.deputy).toBeNull();
  });

  it("is not given for a key, which answers under its id, and under a label that is its own", async () => {
    const names = (keyId: string, label: string) =>
      answersAs(api.store, {
        orgId: ORG,
        keyId,
        label,
        agentId: null,
        permissions: new Set<string>(),
        expiresAt: null,
        ...NO_PERSON,
      });
    const put = (id: string, label: string, createdAt: number, more: Partial<KeyRecord> = {}) =>
      api.store.putKey({ ...key(id, { orgId: ORG, label, createdAt }), ...more });
    await put("key_ci_1", "ci", 1);
    await put("key_ci_2", "ci", 2);
    expect(await names("key_ci_1", "ci")).toEqual(["key:key_ci_1", "key:ci"]);
    expect(await names("key_ci_2", "ci")).toEqual(["key:key_ci_2", "key:ci"]);
    // A label that is the id of another key names neither.
    await put("key_copy", "key_ci_2", 1);
    expect(await names("key_copy", "key_ci_2")).toEqual(["key:key_copy"]);
    // A label given by a caller who may not decide who answers names no one.
    await put("key_self", "release-manager", 1, { isNamed: false });
    expect(await names("key_self", "release-manager")).toEqual(["key:key_self"]);
  });

  it("cannot be given by groups or deputies without governance:write", async () => {
    const permissions = [...permissionsOf("approver"), "keys:manage"];
    const maker = (await api.request("POST", "keys", { body: { label: "maker", permissions } })).body.key;
    const ann = await Member.signIn("ann-of-groups", { sluice_role: "approver" });
    const bob = await Member.signIn("bob-of-groups", { sluice_role: "approver" });
    const until = new Date(now() + HOUR).toISOString();
    for (const change of [{ groups: ["board"] }, { deputy: { person: bob.id, until } }]) {
      const path = `persons/${ann.id}`;
      expect(codeOf(await api.request("PATCH", path, { key: maker, body: change }))).toEqual([403, "forbidden"]);
      expect((await api.request("PATCH", path, { body: change })).status).toBe(200);
    }
    const invite = (groups: readonly string[]) =>
      api.request("POST", "invitations", { key: maker, body: { email: "c@example.com", roles: ["viewer"], groups } });
    expect(codeOf(await invite(["board"]))).toEqual([403, "forbidden"]);
    expect((await invite([])).status).toBe(201);
  });

  it("cannot be claimed by a label, or by a key for another person, without governance:write", async () => {
    const permissions = ["keys:manage", "governance:read", "governance:approve", "workflow:execute"] as const;
    const maker = (await api.request("POST", "keys", { body: { label: "maker", permissions } })).body.key;
    const mint = (body: object, by: string) => api.request("POST", "keys", { body, key: by });
    const { body: made } = await mint({ label: "board", permissions: ["governance:approve"] }, maker);
    expect((await api.request("GET", "session", { key: made.key })).body.answersAs).toEqual([`key:${made.id}`]);
    const ann = await Member.signIn("ann-of-keys", { sluice_role: "approver" });
    const refused = await mint({ label: "x", permissions: ["governance:approve"], person: ann.id }, maker);
    expect(codeOf(refused)).toEqual([403, "forbidden"]);
    const { body: named } = await mint({ label: "board", permissions: ["governance:approve"] }, ADMIN);
    expect((await api.request("GET", "session", { key: named.key })).body.answersAs).toEqual([
      `key:${named.id}`,
      "key:board",
    ]);
  });
});
