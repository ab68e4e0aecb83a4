import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { compareCodeUnits } from "../../src/core/base/index.ts";
import { fillForm } from "./browser-form.ts";
import { type Ground, openGround } from "./ground.ts";
import { addressesOf, linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const PAY = `name: pay
args:
  amount: { type: integer, required: true }
steps:
  - { id: decide, name: "May \${amount} dollars be paid?", approval: required, approvers: ["user:ann@example.com"] }
  - { id: note, command: "Note \${amount}", depends_on: [decide] }
`;
const MAIL = { type: "email", host: "127.0.0.1", from: "sluice@example.com", notify: [{ on: "approval.requested" }] };
const MINUTE_MS = 60_000;

let ground: Ground;
let office: PostOffice;
beforeEach(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
  await ground.api.save(PAY);
});
afterEach(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

async function approvals(): Promise<readonly { id: string; status: string; resolvedBy: string | null }[]> {
  return (await ground.api.request("GET", "approvals")).body.data;
}

describe("a channel of type email", () => {
  it("writes to whom an approval asks, and the link in the letter answers it once", async () => {
    await ground.put("mail", { ...MAIL, port: office.port });
    const runId = await ground.api.run("pay", { amount: 900 });
    await ground.round();
    const [letter] = office.letters;
    if (letter === undefined) throw new Error(JSON.stringify(await ground.deliveries("mail")));
    expect(addressesOf(letter)).toBe("ann@example.com");
    expect(letter.subject).toContain("Approval needed: May 900 dollars be paid?");
    expect(letter.html).toContain("May 900 dollars be paid?");
    expect(letter.text).toContain("Workflow: pay");
    const link = linkOf(letter);
    for (let looks = 0; looks < 100; looks += 1) expect((await fetch(link)).status).toBe(200);
    expect(await approvals()).toMatchObject([{ status: "pending" }]);
    const answered = await fillForm(link, { decision: "approve" });
    expect(answered.status).toBe(200);
    expect(await approvals()).toMatchObject([{ status: "approved", resolvedBy: "ann@example.com" }]);
    expect(await ground.api.settle(runId)).toBe("completed");
    const again = await fillForm(link, { decision: "reject", reason: "no" });
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("This link was used")]);
    expect(await ground.deliveries("mail")).toMatchObject([{ state: "delivered", recipient: "ann@example.com" }]);
  });

  it("writes to explicit addresses, each with a ticket of its own, by the rules of channel and workflow", async () => {
    await ground.put("mail", {
      ...MAIL,
      port: office.port,
      to: ["approvers", "ann@example.com", "boss@example.com"],
      notify: [{ on: "approval.requested", where: "args.amount > 1000" }],
    });
    await ground.put("ops", { ...MAIL, port: office.port, to: ["ops@example.com"], notify: [] });
    const source = `${PAY}notify:\n  - { on: approval.requested, where: "workflow == 'pay'", channel: ops }\n`;
    await ground.api.save(source);
    await ground.api.run("pay", { amount: 5 });
    await ground.round();
    expect(office.letters.map(addressesOf)).toEqual(["ops@example.com"]);
    await ground.api.run("pay", { amount: 5_000 });
    await ground.round();
    expect(office.letters.slice(1).map(addressesOf).sort()).toEqual([
      "ann@example.com",
      "boss@example.com",
      "ops@example.com",
    ]);
    expect(new Set(office.letters.map(linkOf)).size).toBe(4);
    const [boss = ""] = office.letters.filter((one) => addressesOf(one) === "boss@example.com").map(linkOf);
    // The approval asks ann, and the link of another person does not make one of her.
    const refused = await fillForm(boss, { decision: "approve" });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("This is not asked of you")]);
  });

  it("waits in quiet hours, keeps to its rate, and puts what comes together into one letter", async () => {
    const hour = new Date(Date.now()).getUTCHours();
    const at = (more: number): string => `${String((hour + more + 24) % 24).padStart(2, "0")}:00`;
    await ground.put("mail", { ...MAIL, port: office.port, quiet_hours: { from: at(0), to: at(2), zone: "UTC" } });
    await ground.api.run("pay", { amount: 1 });
    await ground.round();
    expect(office.letters).toEqual([]);
    expect(await ground.deliveries("mail")).toMatchObject([
      { state: "pending", attempts: 0, lastError: expect.stringContaining("quiet hours") },
    ]);
    ground.ahead = 120 * MINUTE_MS;
    await ground.round();
    expect(office.letters).toHaveLength(1);
    await ground.put("mail", { ...MAIL, port: office.port, rate: { per_minute: 2 } });
    for (const amount of [2, 3, 4]) await ground.api.run("pay", { amount });
    await ground.round();
    expect(office.letters).toHaveLength(3);
    ground.ahead += MINUTE_MS + 1;
    await ground.round();
    expect(office.letters).toHaveLength(4);
    await ground.put("mail", { ...MAIL, port: office.port, group: { within: "5m" } });
    for (const amount of [5, 6, 7]) await ground.api.run("pay", { amount });
    await ground.round();
    expect(office.letters).toHaveLength(4);
    ground.ahead += 5 * MINUTE_MS + 1;
    await ground.round();
    expect(office.letters.slice(4).map(({ subject }) => subject)).toEqual(["3 approvals needed"]);
    expect(office.letters[4]?.text?.match(/\/t\//g)).toHaveLength(3);
  });

  it("tries again while the server is away, and the approval is not touched by that", async () => {
    const { port } = office;
    await ground.put("mail", { ...MAIL, port });
    await office.close();
    const runId = await ground.api.run("pay", { amount: 1 });
    await ground.round();
    expect(await ground.deliveries("mail")).toMatchObject([
      { state: "failed", attempts: 1, lastError: expect.stringContaining("url_unreachable") },
    ]);
    const [approval] = await approvals();
    expect(approval?.status).toBe("pending");
    const answer = { body: { decision: "approve", override: true, reason: "by hand" } };
    const { status } = await ground.api.request("POST", `approvals/${approval?.id}/resolve`, answer);
    expect([status, await ground.api.settle(runId)]).toEqual([200, "completed"]);
    ground.ahead += 10_000;
    await ground.round();
    expect(await ground.deliveries("mail")).toMatchObject([
      { state: "given_up", lastError: "Not sent: it was answered before." },
    ]);
    office = await openPostOffice();
  });

  it("says what no address could be found for, and what a server refuses for good", async () => {
    await ground.put("mail", { ...MAIL, port: office.port });
    await ground.api.save(PAY.replace("name: pay", "name: team-pay").replace("user:ann@example.com", "role:finance"));
    await ground.api.run("team-pay", { amount: 1 });
    await ground.round();
    expect(await ground.deliveries("mail")).toMatchObject([
      {
        state: "given_up",
        lastError: expect.stringMatching(/no address.*no member of role:finance has .*governance:approve/),
      },
    ]);
    const strict = await openPostOffice({ onRcptTo: (_to, _session, done) => done(new Error("no such mailbox")) });
    await ground.put("mail", { ...MAIL, port: strict.port });
    await ground.api.run("pay", { amount: 1 });
    await ground.round();
    const [refused] = await ground.deliveries("mail");
    expect(refused).toMatchObject({ state: "given_up", lastError: expect.stringContaining("no such mailbox") });
    await strict.close();
  });

  it("shows readers the name of the sender, and takes nothing else for one", async () => {
    await ground.put("mail", { ...MAIL, port: office.port, from: "Sluice at Acme <sluice@example.com>" });
    await ground.api.run("pay", { amount: 1 });
    await ground.round();
    expect(office.letters[0]?.from?.value).toEqual([{ name: "Sluice at Acme", address: "sluice@example.com" }]);
    for (const from of [
      "Sluice",
      "<>",
      "A <b>",
      "A, B <a@example.com>",
      "A\r\nBcc: x <a@example.com>",
      "a@b.example <c@d.example>",
    ]) {
      const body = { ...MAIL, port: office.port, from };
      expect((await ground.api.request("PUT", "channels/mail", { body })).status, from).toBe(422);
    }
  });

  it("has the link before what an answer seldom depends on, and nothing of it twice", async () => {
    await ground.put("mail", { ...MAIL, port: office.port, content: true });
    await ground.api.save(`name: letter
args: { customer: { type: string, default: Ada }, order: { type: integer, default: 7 } }
steps:
  - { id: draft, command: "Draft it" }
  - id: post
    name: "Post it?"
    command: "Post \${customer} of \${order}: \${draft.stdout}"
    approval: required
    approvers: ["user:ann@example.com"]
`);
    await ground.api.run("letter");
    await ground.round();
    const { text = "", html } = office.letters[0] ?? {};
    const heads = text.match(/^\S.*$/gm) ?? [];
    const at = (line: RegExp): number => heads.findIndex((head) => line.test(head));
    expect(at(/^What exactly will happen/)).toBeLessThan(at(/^Look at it and answer: http/));
    expect(at(/^Look at it and answer/)).toBeLessThan(at(/^What draft gave/));
    // Two short values are one table.
    expect(text).toContain("What it is about\n  customer | Ada\n  order | 7");
    expect(text.match(/^.*Workflow: letter/gm)).toHaveLength(1);
    expect(String(html).match(/Workflow: letter/g)).toHaveLength(1);
  });

  it("sends a test message, also in quiet hours, and alerts, failures and warnings", async () => {
    await ground.put("mail", { ...MAIL, port: office.port, to: ["ops@example.com"], notify: [{ on: "run.failed" }] });
    expect((await ground.api.request("POST", "channels/mail/test")).status).toBe(202);
    await ground.api.save(
      "name: failing\nsteps:\n  - { id: first, command: A }\n  - { id: broken, command: B, depends_on: [first] }\n",
    );
    await ground.api.run("failing");
    await ground.round();
    expect(office.letters.map(({ subject = "" }) => subject).toSorted(compareCodeUnits)).toEqual([
      "A run of failing failed",
      "Test of the channel mail",
    ]);
  });
});
