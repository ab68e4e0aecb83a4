import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../browser/browser.ts";
import { askAbout } from "./ask.ts";
import { type Ground, openGround } from "./ground.ts";
import { linkOf, openPostOffice, type PostOffice } from "./post-office.ts";

const ASK = askAbout(
  "Dear Ada, **yes**. <script>document.title = 'broken'</script>",
  "    form: { copies: { type: integer, label: Copies, min: 1 } }",
);

/** A draft that a policy holds back before it is sent on. */
const SEND = `name: send
args: { customer: { type: string, default: Ada } }
steps:
  - { id: draft, command: "Dear \${customer}, we are sorry." }
  - { id: post, command: "Post: \${letter}", inputs: { letter: "\${draft.stdout}" }, estimated_cost: 0.05 }
`;
const HOLD = {
  category: "guardrail",
  condition: "node.id == 'post'",
  action: "require_approval",
  reason: "Letters to customers are read first",
  approvers: ["user:ann@example.com"],
};

let ground: Ground;
let office: PostOffice;
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
  await ground.put("mail", {
    type: "email",
    host: "127.0.0.1",
    port: office.port,
    from: "sluice@example.com",
    content: true,
    notify: [{ on: "approval.requested" }],
  });
  await ground.api.save(ASK);
});
afterAll(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate("axe.run().then((result) => result.violations.map(({ id }) => id))");
  return found as readonly string[];
}

describe("a ticket page in a browser", () => {
  it.each(["light", "dark"] as const)("is read and answered without a script, in a %s theme", async (theme) => {
    const before = office.letters.length;
    await ground.api.run("ask");
    await ground.round();
    const letter = office.letters[before];
    if (letter === undefined) throw new Error("no letter was sent");
    const context = await browser.newContext({ colorScheme: theme, viewport: { width: 375, height: 800 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(linkOf(letter));
    expect(await page.title()).toContain("Send the letter?");
    expect(await page.locator("strong", { hasText: "yes" }).count()).toBe(1);
    expect(requested.filter((path) => !path.startsWith("/t/"))).toEqual(["/sluice.css"]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")).toBe(true);
    await page.getByLabel("Copies").fill("0");
    await page.getByLabel("Reason").fill("As agreed");
    await page.getByRole("button", { name: "Approve" }).click();
    expect(await page.getByRole("alert").innerText()).toContain("copies");
    // What was wrong is in sight, at the form, however long the page is.
    const alert = "document.querySelector('[role=alert]').getBoundingClientRect().top";
    expect(await page.evaluate(`${alert} >= 0 && ${alert} < window.innerHeight`)).toBe(true);
    expect(await page.locator("form [role=alert]").count()).toBe(1);
    expect(await page.getByLabel("Reason").inputValue()).toBe("As agreed");
    await page.getByLabel("Copies").fill("2");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    expect(complaints.filter((text) => !/422|404/.test(text))).toEqual([]);
    const { body } = await ground.api.request("GET", "approvals");
    expect(body.data[0]).toMatchObject({ status: "approved", entered: { copies: 2 } });
    await context.close();
  });

  it("shows draft, args, request, cost and policy, and what is changed there is what is sent", async () => {
    expect((await ground.api.request("PUT", "policies/read-first", { body: HOLD })).status).toBe(201);
    await ground.api.save(SEND);
    const before = office.letters.length;
    const runId = await ground.api.run("send");
    await ground.round();
    const letter = office.letters[before];
    if (letter === undefined) throw new Error("no letter was sent");
    const page = await browser.newPage();
    await page.goto(linkOf(letter));
    const shown = await page.locator("body").innerText();
    // Nothing is out of sight at the right, however long its lines are and however narrow the screen.
    await page.setViewportSize({ width: 360, height: 800 });
    const hidden =
      "[...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).length";
    expect(await page.evaluate(hidden)).toBe(0);
    const draft = "Dear Ada, we are sorry.";
    for (const part of [HOLD.reason, "Ada", draft, `Post: ${draft}`, "0.05"]) expect(shown).toContain(part);
    await page.getByText("Change what is sent").click();
    await page.getByLabel("letter").fill("Dear Ada, here is your money.");
    await page.getByRole("button", { name: "Approve" }).click();
    // What was changed is shown as a difference first; until it is confirmed nothing is answered.
    const difference = await page.locator("pre").innerText();
    expect(difference.trim().split("\n")).toEqual([`- ${draft}`, "+ Dear Ada, here is your money."]);
    expect((await ground.api.request("GET", "approvals?status=pending")).body.data).toHaveLength(1);
    await page.getByRole("button", { name: "Approve with these changes" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    await page.close();
    expect(await ground.api.settle(runId)).toBe("completed");
    const { body } = await ground.api.request("GET", `runs/${runId}/nodes/post`);
    expect(JSON.stringify(body)).toContain("Post: Dear Ada, here is your money.");
    expect(JSON.stringify(body.attempts)).not.toContain(`Post: ${draft}`);
  });

  it("has no barriers for those who read it otherwise", async () => {
    await ground.api.run("ask");
    await ground.round();
    const letter = office.letters.at(-1);
    if (letter === undefined) throw new Error("no letter was sent");
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(linkOf(letter));
      expect(await violations(page)).toEqual([]);
      await context.close();
    }
  });
});
