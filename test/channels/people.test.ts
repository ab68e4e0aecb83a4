import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareCodeUnits } from "../../src/core/base/index.ts";
import { fillForm } from "./browser-form.ts";
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

async function last(): Promise<{
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
    expect(await ask(asking(""))).toEqual(['"ann" <ann@example.com>', '"bob" <bob@example.com>']);
  });

  it("answer as themselves: one person once, until there are enough", async () => {
    await ask(asking("role:finance", "quorum: 2"));
    const [ann, bob] = [linkFor("ann"), linkFor("bob")];
    expect(await (await fillForm(ann, { decision: "approve" })).text()).toContain("1 of 2 people have approved");
    expect((await fillForm(ann, { decision: "approve" })).status).toBe(409);
    expect(await last()).toMatchObject({ status: "pending", answers: [{ personId: "per_ann" }] });
    expect((await fillForm(bob, { decision: "approve" })).status).toBe(200);
    expect(await last()).toMatchObject({ status: "approved", resolvedBy: "bob@example.com" });
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
});
