import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Ground, openGround } from "./ground.ts";
import { addressesOf, linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const PAY = `name: pay
args:
  amount: { type: integer, required: true }
steps:
  - { id: decide, name: "May this be paid?", approval: required, approvers: ["user:ann@example.com"] }
  - { id: note, command: "Note \${amount}", depends_on: [decide] }
`;
const MAIL = { type: "email", host: "127.0.0.1", from: "sluice@example.com", notify: [{ on: "approval.requested" }] };

let ground: Ground;
let office: PostOffice;
beforeEach(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
});
afterEach(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

/** The form of a ticket page, filled in as a browser would send it. */
async function fill(url: string, answers: Readonly<Record<string, string>>): Promise<Response> {
  const text = await (await fetch(url)).text();
  const hidden = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const body = new URLSearchParams([...hidden.map(([, name = "", value = ""]): [string, string] => [name, value])]);
  for (const [name, value] of Object.entries(answers)) body.set(name, value);
  return fetch(url, { method: "POST", body, redirect: "manual" });
}

async function approvals(): Promise<readonly { id: string; status: string; resolvedBy: string | null }[]> {
  return (await ground.api.request("GET", "approvals")).body.data;
}

describe("a channel of type email", () => {
  it("writes to whom an approval asks, and the link in the letter answers it once", async () => {
    await ground.put("mail", { ...MAIL, port: office.port });
    await ground.api.save(PAY);
    const runId = await ground.api.run("pay", { amount: 900 });
    await ground.round();
    const [letter] = office.letters;
    if (letter === undefined) throw new Error(JSON.stringify(await ground.deliveries("mail")));
    expect(addressesOf(letter)).toBe("ann@example.com");
    expect(letter.subject).toContain("Approval needed: May this be paid?");
    expect(letter.html).toContain("May this be paid?");
    expect(letter.text).toContain("Workflow: pay");
    const link = linkOf(letter);
    for (let looks = 0; looks < 100; looks += 1) expect((await fetch(link)).status).toBe(200);
    expect(await approvals()).toMatchObject([{ status: "pending" }]);
    const answered = await fill(link, { decision: "approve" });
    expect(answered.status).toBe(200);
    expect(await approvals()).toMatchObject([{ status: "approved", resolvedBy: "ann@example.com" }]);
    expect(await ground.api.settle(runId)).toBe("completed");
    const again = await fill(link, { decision: "reject", reason: "no" });
    expect([again.status, await again.text()]).toEqual([409, expect.stringContaining("This link was used")]);
    expect(await ground.deliveries("mail")).toMatchObject([{ state: "delivered", recipient: "ann@example.com" }]);
  });
});
