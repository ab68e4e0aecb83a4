import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fillForm, hiddenFields, sendForm } from "./browser-form.ts";
import { askAbout } from "./ask.ts";
import { type Ground, openGround } from "./ground.ts";
import { linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const ASK = askAbout(
  "# Dear\n<script>alert(1)</script> ![x](https://evil.example/x.png)",
  '  - { id: note, command: "Note it", depends_on: [decide] }',
);
const HOUR_MS = 3_600_000;
const GOOD = { decision: "approve", "form.account": "12", "form.amount": "7", "form.way": "check" };

let ground: Ground;
let office: PostOffice;
beforeEach(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
  await useMail();
});
afterEach(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

function useMail(more: object = {}): Promise<void> {
  return ground.put("mail", {
    type: "email",
    host: "127.0.0.1",
    port: office.port,
    from: "sluice@example.com",
    notify: [{ on: "approval.requested" }, { on: "approval.reminded" }],
    ...more,
  });
}

/** Starts a run of a workflow and returns the link that was sent about it. */
async function ask(source = ASK, args: object = {}): Promise<string> {
  await ground.api.save(source);
  const before = office.letters.length;
  await ground.api.run(/^name: (\S+)/.exec(source)?.[1] ?? "", args);
  await ground.round();
  const letter = office.letters[before];
  if (letter === undefined) throw new Error(JSON.stringify(await ground.deliveries("mail")));
  return linkOf(letter);
}

async function statuses(): Promise<readonly string[]> {
  const { body } = await ground.api.request("GET", "approvals");
  return (body.data as readonly { status: string }[]).map(({ status }) => status);
}

describe("a ticket page", () => {
  it("shows title and policy only, and nothing keeps it, lists it or hands it on", async () => {
    const link = await ask();
    const shown = await fetch(link);
    const text = await shown.text();
    expect(text).toContain("Send the letter?");
    expect(text).not.toContain("Dear");
    expect(text).toContain("signing in");
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": expect.stringContaining("noindex"),
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
    expect(await statuses()).toEqual(["pending"]);
  });

  it("shows everything where the channel says so, with nothing in it that could act", async () => {
    await useMail({ content: true });
    const link = await ask();
    const text = await (await fetch(link)).text();
    expect(text).toContain("<h4>Dear</h4>");
    expect(text).toContain("&lt;script&gt;");
    expect(text).not.toMatch(/<script|<img|<iframe|javascript:/i);
    expect(text).toContain("What exactly will happen");
    expect(office.letters.at(-1)?.html).not.toMatch(/<script|<img/i);
    expect(office.letters.at(-1)?.text).toContain("Dear");
  });

  it("is answered by one of two who send it at the same moment", async () => {
    const link = await ask();
    const fields = { ...(await hiddenFields(link)), decision: "approve" };
    const replies = await Promise.all([sendForm(link, fields), sendForm(link, fields), sendForm(link, fields)]);
    expect(replies.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 409, 409]);
    expect(await statuses()).toEqual(["approved"]);
  });

  it("lets a mistake be put right before it is used up", async () => {
    const link = await ask();
    const bare = await fillForm(link, { decision: "reject" });
    expect([bare.status, await bare.text()]).toEqual([422, expect.stringContaining("reason")]);
    const other = await fillForm(link, { decision: "retry" });
    expect(other.status).toBe(422);
    const odd = await fillForm(link, { decision: "explode" });
    expect(odd.status).toBe(422);
    const changed = await fillForm(link, { decision: "approve", subjectDigest: "sha256:else" });
    expect([changed.status, await changed.text()]).toEqual([409, expect.stringContaining("has changed")]);
    const missing = await sendForm(link, { decision: "approve" });
    expect(missing.status).toBe(409);
    expect(await statuses()).toEqual(["pending"]);
    expect((await fillForm(link, { decision: "reject", reason: "too early" })).status).toBe(200);
    expect(await statuses()).toEqual(["rejected"]);
  });

  it("says what happened to what was answered elsewhere, has expired, or was never written here", async () => {
    const link = await ask();
    ground.ahead = 24 * HOUR_MS + 1;
    const late = await fetch(link);
    expect([late.status, await late.text()]).toEqual([410, expect.stringContaining("Sign in to answer")]);
    expect((await sendForm(link, { decision: "approve" })).status).toBe(410);
    ground.ahead = 0;
    const forged = link.replace(/.{3}$/, "abc");
    expect([(await fetch(forged)).status, (await sendForm(forged, { decision: "approve" })).status]).toEqual([
      404, 404,
    ]);
    expect((await fetch(`${ground.url}/t/nonsense`)).status).toBe(404);
    const { body } = await ground.api.request("GET", "approvals");
    const answer = { body: { decision: "approve", override: true, reason: "by hand" } };
    await ground.api.request("POST", `approvals/${body.data[0].id}/resolve`, answer);
    const closed = await fetch(link);
    expect([closed.status, await closed.text()]).toEqual([409, expect.stringContaining("approved already")]);
  });

  it("leads to sign-in where a link is not enough", async () => {
    const risky = `name: transfer
steps:
  - { id: pay, command: "Pay it", action: financial, approval: required, approvers: ["user:ann@example.com"] }
`;
    const confirmed = ASK.replace("name: ask", "name: confirmed").replace("show:", "confirm: sign_in\n    show:");
    for (const source of [risky, confirmed]) {
      const link = await ask(source);
      const text = await (await fetch(link)).text();
      expect(text).toContain("Sign in to answer");
      expect(text).not.toContain("<form");
      const sent = await sendForm(link, { decision: "approve" });
      expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringContaining("/approvals?id=")]);
    }
    expect(await statuses()).toEqual(["pending", "pending"]);
  });

  it("takes another value for whatever the text of a step reads, and sends exactly that", async () => {
    await useMail({ content: true });
    const link = await ask(`name: post
steps:
  - { id: draft, command: Draft it }
  - { id: post, command: "Post: \${draft.stdout}", approval: required, approvers: ["user:ann@example.com"] }
`);
    expect(await (await fetch(link)).text()).toContain('name="input.draft.stdout"');
    const changed = { decision: "approve", "input.draft.stdout": "Dear Ada", confirmed: "true" };
    expect((await fillForm(link, changed)).status).toBe(200);
    const { body } = await ground.api.request("GET", "approvals");
    const [{ runId, modifications }] = body.data;
    expect(modifications).toEqual({ inputs: { "draft.stdout": "Dear Ada" } });
    expect(await ground.api.settle(runId)).toBe("completed");
    const { body: node } = await ground.api.request("GET", `runs/${runId}/nodes/post`);
    expect(JSON.stringify(node.attempts)).toContain("Post: Dear Ada");
  });

  it("takes what is entered into the form of a gate, checked", async () => {
    const form = `name: form
steps:
  - id: decide
    approval: required
    approvers: ["user:ann@example.com"]
    form:
      account: { type: string, label: Account, pattern: "^[0-9]+$" }
      amount: { type: integer, min: 1 }
      urgent: { type: boolean, required: false }
      way: { type: enum, enum: [wire, check], default: wire }
      size: { type: string, enum: [small, large], default: small }
  - { id: note, command: "Note \${decide.account} \${decide.amount} \${decide.way}", depends_on: [decide] }
`;
    const link = await ask(form);
    const text = await (await fetch(link)).text();
    expect(text).toContain("Account");
    expect(text.match(/<option value="(wire|check|small|large)"/g)).toHaveLength(4);
    const bad = await fillForm(link, {
      decision: "approve",
      "form.account": "x",
      "form.amount": "0",
      "form.way": "wire",
    });
    const said = /role="alert">([^<]*)</.exec(await bad.text())?.[1] ?? "";
    expect([bad.status, said.match(/amount/g)]).toEqual([422, ["amount"]]);
    expect((await fillForm(link, { ...GOOD, "form.size": "huge" })).status).toBe(422);
    // Who empties a field does not mean its default.
    const emptied = await fillForm(link, { ...GOOD, "form.way": "" });
    expect([emptied.status, await emptied.text()]).toEqual([422, expect.stringContaining("way is missing")]);
    const good = await fillForm(link, { ...GOOD, "form.size": "large" });
    expect([good.status, await good.text()]).toEqual([200, expect.stringContaining("approved")]);
    const { body } = await ground.api.request("GET", "approvals");
    expect(body.data[0].entered).toMatchObject({ account: "12", amount: 7, way: "check", size: "large" });
  });

  it("does not show without the content what a default was filled with, and takes it where nothing is entered", async () => {
    const form = `name: form
args: { amount: { type: integer, default: 7321000007321 } }
steps:
  - id: decide
    approval: required
    approvers: ["user:ann@example.com"]
    form: { pay: { type: integer, default: "\${amount}" }, way: { type: string, default: wire } }
`;
    const link = await ask(form);
    const text = await (await fetch(link)).text();
    expect(text).not.toContain("7321000007321");
    expect(text).toContain("wire");
    expect((await fillForm(link, { decision: "approve", "form.way": "check" })).status).toBe(200);
    const { body } = await ground.api.request("GET", "approvals");
    expect(body.data[0].entered).toEqual({ pay: 7_321_000_007_321, way: "check" });
    await useMail({ content: true });
    expect(await (await fetch(await ask(form))).text()).toContain("7321000007321");
  });
});
