import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareCodeUnits } from "../../src/core/base/index.ts";
import { fillForm, hiddenFields } from "./browser-form.ts";
import { type Ground, openGround } from "./ground.ts";
import { addressesOf, linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const ORG = "default";
const asking = (who: string, more = ""): string => `name: ask
steps:
  - { id: decide, name: "Send it?", approval: required, ${who === "" ? "" : `approvers: ["${who}"],`} ${more} }
`;

let ground: Ground;
let office: PostOffice;
beforeEach(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
  const notify = [{ on: "approval.requested" }];
  const spec = { type: "email", host: "127.0.0.1", port: office.port, from: "sluice@example.com", notify };
  await ground.put("mail", spec);
  await join("ann", ["approver"], ["finance"]);
  await join("bob", ["approver"], ["finance", "legal"]);
  await join("cyd", ["viewer"], ["legal"]);
});
afterEach(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

async function join(name: string, roles: readonly string[], groups: readonly string[]): Promise<void> {
  const { store } = ground.api;
  const person = {
    id: `per_${name}`,
    issuer: "https://id.example.com",
    subject: name,
    email: `${name}@example.com`,
    name,
  };
  await store.keepPerson(person);
  await store.claimMembership(ORG, person.id, { roles, groups });
}

async function ask(source: string): Promise<readonly string[]> {
  await ground.api.save(source);
  const before = office.letters.length;
  await ground.api.run("ask");
  await ground.round();
  return office.letters.slice(before).map(addressesOf).toSorted(compareCodeUnits);
}

function linkFor(name: string): string {
  const letter = office.letters.findLast((one) => addressesOf(one).includes(`${name}@example.com`));
  if (letter === undefined) throw new Error(`there is no letter for ${name}`);
  return linkOf(letter);
}

/** The header of a browser in which a person is signed in. */
async function signedIn(name: string): Promise<{ readonly cookie: string }> {
  const secret = `secret of ${name}`.replaceAll(" ", "-");
  const hash = createHash("sha256").update(secret).digest("hex");
  const nowhere = { keyId: null, orgId: null, userAgent: "", ip: "" };
  await ground.api.store.putSession({ id: `ses_${name}`, hash, personId: `per_${name}`, ...nowhere }, 60_000);
  return { cookie: `sluice_session=${secret}` };
}

async function last(): Promise<{
  id: string;
  subjectDigest: string;
  status: string;
  answers: readonly { personId: string }[];
  resolvedBy: string | null;
}> {
  return (await ground.api.request("GET", "approvals")).body.data[0];
}

describe("the people an approval asks", () => {
  it("are those with the group, with the address or the id, and without approvers all who may approve", async () => {
    expect(await ask(asking("role:finance"))).toEqual(['"ann" <ann@example.com>', '"bob" <bob@example.com>']);
    // Who may not approve is asked in vain.
    expect(await ask(asking("team:legal"))).toEqual(['"bob" <bob@example.com>']);
    expect(await ask(asking("user:Bob@Example.com"))).toEqual(['"bob" <bob@example.com>']);
    expect(await ask(asking("user:per_ann"))).toEqual(['"ann" <ann@example.com>']);
    const both = ['"ann" <ann@example.com>', '"bob" <bob@example.com>'];
    expect(await ask(asking('user:per_ann", "user:per_bob'))).toEqual(both);
    expect((await fillForm(linkFor("bob"), { decision: "approve" })).status).toBe(200);
    expect(await ask(asking(""))).toEqual(['"ann" <ann@example.com>', '"bob" <bob@example.com>']);
  });

  it("answer as themselves: one person once, until there are enough", async () => {
    await ask(asking("role:finance", "quorum: 2"));
    const [ann, bob] = [linkFor("ann"), linkFor("bob")];
    expect(await (await fillForm(ann, { decision: "approve" })).text()).toContain("1 of 2 people have approved");
    expect((await fillForm(ann, { decision: "approve" })).status).toBe(409);
    expect(await (await fetch(bob)).text()).toContain("2 people have to approve; 1 of them so far.");
    expect(await last()).toMatchObject({ status: "pending", answers: [{ personId: "per_ann" }] });
    expect((await fillForm(bob, { decision: "approve" })).status).toBe(200);
    expect(await last()).toMatchObject({ status: "approved", resolvedBy: "bob@example.com" });
  });

  it("approve what others have entered into the form, unless they enter something else", async () => {
    const form = "form: { kind: { type: string, default: a }, note: { type: string, required: false } }";
    await ask(asking("role:finance", `quorum: 2, ${form}`));
    const entered = { decision: "approve", "form.kind": "b", "form.note": "as agreed" };
    expect((await fillForm(linkFor("ann"), entered)).status).toBe(200);
    const bob = linkFor("bob");
    expect(await (await fetch(bob)).text()).not.toContain("as agreed");
    const shown = await (await fetch(bob, { headers: await signedIn("bob") })).text();
    expect(shown).toMatch(/name="form.kind" value="b"/);
    expect(shown).toMatch(/name="form.note" value="as agreed"/);
    expect(await (await fillForm(bob, { decision: "approve" })).text()).toContain("approved now");
    expect(await last()).toMatchObject({ status: "approved", entered: { kind: "b", note: "as agreed" } });
  });

  it("are asked again when another has changed what they had approved, and no other person is", async () => {
    await join("dee", ["approver"], ["finance"]);
    const send = `name: ask
args: { letter: { type: string, default: "Dear Ada" } }
steps:
  - { id: post, command: "Post \${letter}", approval: required, approvers: ["role:finance"], quorum: 2 }
`;
    expect(await ask(send)).toHaveLength(3);
    expect((await fillForm(linkFor("ann"), { decision: "approve" })).status).toBe(200);
    const before = office.letters.length;
    const { id, subjectDigest } = await last();
    const changed = { decision: "approve", subjectDigest, modifications: { inputs: { letter: "Dear Bob" } } };
    const answer = { method: "POST", body: JSON.stringify(changed) };
    const headers = { ...(await signedIn("bob")), origin: ground.url, "content-type": "application/json" };
    const session = await (await fetch(`${ground.url}/api/v1/session`, { headers })).json();
    const token = { "x-sluice-csrf": (session as { csrfToken: string }).csrfToken };
    const path = `${ground.url}/api/v1/approvals/${id}/resolve`;
    expect((await fetch(path, { ...answer, headers: { ...headers, ...token } })).status).toBe(200);
    await ground.round();
    expect(office.letters.slice(before).map(addressesOf)).toEqual(['"ann" <ann@example.com>']);
    expect(office.letters.at(-1)?.text).toContain("bob@example.com has changed what is asked");
    expect(await (await fillForm(linkFor("ann"), { decision: "approve" })).text()).toContain("approved now");
    expect(await last()).toMatchObject({ status: "approved", modifications: { inputs: { letter: "Dear Bob" } } });
  });

  it("do not answer any more when they have left the group, lost the role, or are no members", async () => {
    await ground.api.store.claimMembership(ORG, "per_cyd", { roles: ["approver"], groups: ["legal"] });
    await ask(asking("team:legal"));
    await ground.api.store.claimMembership(ORG, "per_cyd", { roles: ["viewer"], groups: ["legal"] });
    const cyd = await fillForm(linkFor("cyd"), { decision: "approve" });
    expect([cyd.status, await cyd.text()]).toEqual([403, expect.stringContaining("governance:approve")]);
    await ground.api.store.claimMembership(ORG, "per_bob", { roles: ["approver"], groups: [] });
    const bob = linkFor("bob");
    const left = await fillForm(bob, { decision: "approve" });
    expect([left.status, await left.text()]).toEqual([403, expect.stringContaining("This is not asked of you")]);
    await ground.api.store.removeMember(ORG, "per_bob");
    ground.ahead += 3_000;
    const gone = await fillForm(bob, { decision: "approve" });
    expect([gone.status, await gone.text()]).toEqual([403, expect.stringContaining("not a member")]);
    expect((await last()).status).toBe("pending");
  });

  it("are joined by their deputies within their dates", async () => {
    const now = Date.now();
    const deputy = { id: "per_bob", from: now - 1_000, until: now + 60_000 };
    await ground.api.store.changeMember(ORG, "per_ann", { deputy });
    expect(await ask(asking("user:per_ann"))).toEqual(['"ann" <ann@example.com>', '"bob" <bob@example.com>']);
    expect((await fillForm(linkFor("bob"), { decision: "approve" })).status).toBe(200);
    ground.ahead = 120_000;
    expect(await ask(asking("user:per_ann"))).toEqual(['"ann" <ann@example.com>']);
  });

  it("see the content of a link in the browser they are signed in with, and no other browser shows it", async () => {
    const args = 'args: { letter: { type: string, default: "Dear Ada, yes." } }';
    await ask(`${asking("role:finance", 'show: ["${letter}"]')}${args}\n`);
    const ann = linkFor("ann");
    const shown = async (headers: Readonly<Record<string, string>>) => (await fetch(ann, { headers })).text();
    expect(await shown({})).not.toContain("Dear Ada");
    expect(await shown(await signedIn("bob"))).not.toContain("Dear Ada");
    const mine = await signedIn("ann");
    expect(await shown(mine)).toContain("Dear Ada, yes.");
    await ground.api.store.revokeSession("ses_ann");
    ground.ahead += 3_000;
    expect(await shown(mine)).not.toContain("Dear Ada");
  });

  it("cannot answer with a link that was sent to another, while they are signed in", async () => {
    await ask(asking("role:finance"));
    const ann = linkFor("ann");
    const { subjectDigest = "" } = await hiddenFields(ann);
    const headers = await signedIn("bob");
    const body = new URLSearchParams({ decision: "approve", subjectDigest });
    const handedOn = await fetch(ann, { method: "POST", headers, body });
    expect([handedOn.status, await handedOn.text()]).toEqual([
      403,
      expect.stringContaining("This is not asked of you"),
    ]);
    expect((await last()).status).toBe("pending");
    await ground.seal();
    expect((await ground.api.request("GET", "audit?type=approval.refused")).body.data).toMatchObject([
      { actor: "per_bob", detail: { code: "not_an_approver", link: "ann@example.com" } },
    ]);
    expect((await fillForm(ann, { decision: "approve" })).status).toBe(200);
  });
});
