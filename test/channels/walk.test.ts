import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildConsoleIfStale, CHECKOUT } from "../../scripts/checkout.mjs";
import { openContext } from "../browser/browser.ts";
import { type LocalProvider, startProvider } from "../oidc/provider.ts";
import { type Ground, openGround } from "./ground.ts";
import { addressesOf, linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const BUILD_MS = 180_000;
const PAY = `name: pay
args: { amount: { type: integer, default: 420 } }
steps:
  - id: transfer
    name: "Pay the invoice?"
    command: "Transfer \${amount} dollars to Tide and Sons"
    agent: clerk
    estimated_cost: 0.05
`;
const READ_FIRST = {
  category: "guardrail",
  condition: "node.id == 'transfer'",
  action: "require_approval",
  reason: "Invoices are read first",
  approvers: ["role:finance"],
};

let provider: LocalProvider;
let ground: Ground;
let office: PostOffice;
const contexts: BrowserContext[] = [];
beforeAll(async () => {
  await buildConsoleIfStale();
  [provider, office] = await Promise.all([startProvider(), openPostOffice()]);
  for (const name of ["ann", "bob"]) {
    const about = { email: `${name}@example.com`, email_verified: true, sluice_role: "approver" };
    provider.accounts.set(name, { ...about, groups: name === "ann" ? ["finance"] : [] });
  }
  ground = await openGround({ signIn: [provider.signIn()], consoleDirectory: join(CHECKOUT, "dist", "console") });
  provider.register([`${ground.url}/auth/test/callback`]);
  await ground.put("mail", {
    type: "email",
    host: "127.0.0.1",
    port: office.port,
    from: "sluice@example.com",
    notify: [{ on: "approval.requested" }],
  });
  await ground.api.request("PUT", "agents/clerk", { body: { trust_level: 3 } });
  await ground.api.request("PUT", "policies/read-first", { body: READ_FIRST });
  await ground.api.save(PAY);
}, BUILD_MS);
afterAll(async () => {
  for (const context of contexts) await context.close();
  await ground?.close();
  await office?.close();
  await provider?.close();
});

async function newPage(): Promise<Page> {
  const context = await openContext({ locale: "en-GB" });
  contexts.push(context);
  return context.newPage();
}

async function enter(page: Page, name: string): Promise<void> {
  await page.getByRole("link", { name: "Sign in with Test provider" }).click();
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL(`${ground.url}/o/**`);
}

/** Starts a run, and returns the link in the letter about its approval. */
async function askedByMail(): Promise<{ readonly runId: string; readonly link: string }> {
  const before = office.letters.length;
  const runId = await ground.api.run("pay");
  await ground.round();
  const letter = office.letters[before];
  if (letter === undefined) throw new Error(JSON.stringify(await ground.deliveries("mail")));
  expect([addressesOf(letter), letter.text]).toEqual([expect.stringContaining("ann@example.com"), expect.any(String)]);
  expect(letter.text).not.toContain("Tide and Sons");
  return { runId, link: linkOf(letter) };
}

const textOf = (page: Page): Promise<string> => page.locator("body").innerText();

it("a person signs in, gets a letter, looks at the whole request, and what they change is what is sent", async () => {
  const ann = await newPage();
  await ann.goto(ground.url);
  await enter(ann, "ann");
  const { runId, link } = await askedByMail();
  // On another machine, before signing in: title and policy, and nothing of the request.
  const page = await newPage();
  await page.goto(link);
  const before = await textOf(page);
  for (const part of ["Pay the invoice?", READ_FIRST.reason]) expect(before).toContain(part);
  for (const part of ["420 dollars", "Tide and Sons", "clerk", "0.05"]) expect(before).not.toContain(part);
  await page.getByRole("link", { name: "Sign in and look at it" }).click();
  await enter(page, "ann");
  await page.getByText("Transfer 420 dollars to Tide and Sons").first().waitFor();
  // The link of the letter now shows the content to her, and takes the answer.
  await page.goto(link);
  const shown = await textOf(page);
  for (const part of ["Transfer 420 dollars to Tide and Sons", "Agent: clerk, trust 3", "0.05", READ_FIRST.reason]) {
    expect(shown).toContain(part);
  }
  await page.getByText("Change what is sent").click();
  await page.getByLabel("amount").fill("42");
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("button", { name: "Approve with these changes" }).click();
  await page.getByRole("heading", { name: "Answered" }).waitFor();
  expect(await ground.api.settle(runId)).toBe("completed");
  const { body } = await ground.api.request("GET", `runs/${runId}/nodes/transfer`);
  expect(JSON.stringify(body.attempts)).toContain("Transfer 42 dollars to Tide and Sons");
  expect(JSON.stringify(body.attempts)).not.toContain("Transfer 420 dollars");
  const [answered] = (await ground.api.request("GET", "approvals")).body.data;
  expect(answered).toMatchObject({ status: "approved", resolvedBy: "ann@example.com" });
  await page.goto(link);
  expect(await textOf(page)).toContain("This link was used");
});

it("a letter that was passed on is not answered by the other person, and the refusal is audited", async () => {
  const bob = await newPage();
  await bob.goto(ground.url);
  await enter(bob, "bob");
  const { link } = await askedByMail();
  await bob.goto(link);
  expect(await textOf(bob)).not.toContain("Tide and Sons");
  await bob.getByRole("button", { name: "Approve" }).click();
  await bob.getByRole("heading", { name: "This is not asked of you" }).waitFor();
  const { data } = (await ground.api.request("GET", "approvals?status=pending")).body;
  expect(data).toHaveLength(1);
  await ground.seal();
  const records = (await ground.api.request("GET", "audit?type=approval.refused")).body.data;
  expect(records).toMatchObject([{ detail: { code: "not_an_approver", link: "ann@example.com" } }]);
});
