import { createServer, type Server } from "node:http";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeAll } from "./paste.ts";
import { choose } from "./choose.ts";
import { openSite, PEOPLE_PAY, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const REFUND = `name: refund
args:
  customer: { type: string, default: Ada }
steps:
  - { id: collect, command: "Collect what \${customer} wrote", action: read }
  - { id: assess, agent: analyst, command: "Decide from \${collect.stdout}" }
  - { id: pay, command: Pay it, action: financial, depends_on: [assess] }
`;
const SCRIPT = `default: echo
nodes:
  collect: { stdout: "<b>a letter</b>", cost_usd: 0.12, tokens: { input: 1200, output: 300 } }
  assess: { stdout: pay, cost_usd: 0.4, tokens: { input: 5200, output: 900 } }
`;

let site: Site;
let receiver: Server;
let received = 0;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  receiver = createServer((_, response) => {
    received += 1;
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { api } = site;
  await api.request("PUT", "agents/analyst", {
    body: { trust_level: 6, autonomy: "bounded", max_concurrent: 5, budget_monthly_usd: 40, skills: ["refunds"] },
  });
  await api.request("PUT", "policies/people-pay", {
    body: {
      category: "guardrail",
      scope: "global",
      condition: "node.action == 'financial'",
      action: "require_approval",
      reason: "A person lets money go",
    },
  });
  await api.request("PUT", "budgets/house", { body: { scope: "global", period: "monthly", amount_usd: 2 } });
  await api.request("PUT", "budgets/analysts", {
    body: { scope: "agent", scope_id: "analyst", period: "monthly", amount_usd: 0.3 },
  });
  await api.request("PUT", "schedules/nightly", { body: { workflow: "refund", cron: "0 3 * * *", timezone: "UTC" } });
  await api.request("PUT", "library/summarise", { body: { command: "Summarise ${text}" } });
  await api.save(REFUND);
  await api.run("refund");
  await api.run("refund", { customer: "Grace" });
});
afterAll(async () => {
  await site.close();
  receiver.close();
});

const visit = (visited: Visit) => visitDuringTest(site, visited);

const has = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

describe("governance", () => {
  it("explains every gate in its order", async () => {
    const page = await visit({ path: "/governance" });
    await has(page, "gateway_health");
    const names = await page.locator(".governance-gates").first().locator("code:first-child").allTextContents();
    expect(names).toHaveLength(11);
    expect(names[0]).toBe("gateway_health");
  });

  it("edits a policy: the server's word at the line, a backtest, what would change, saved", async () => {
    const page = await visit({ path: "/governance/policies" });
    await page.getByRole("link", { name: "people-pay" }).click();
    await writeAll(
      page,
      "category: guardrail\nscope: global\ncondition: nod.action == 'financial'\naction: require_approval\n",
    );
    const problems = page.getByRole("list", { name: "Problems" });
    await problems.getByText("line 3").waitFor();
    await problems.getByText("unknown_fact").waitFor();
    await screenshot(page, "governance-policy-problem-light");
    await writeAll(
      page,
      "category: guardrail\nscope: global\ncondition: node.action == 'read'\naction: block\nreason: Nobody reads\n",
    );
    await page.getByRole("region", { name: "Changes" }).getByText("Nobody reads").waitFor();
    await page.getByRole("button", { name: "Run backtest" }).click();
    const result = page.getByRole("region", { name: "Result of the backtest" });
    await result.getByText(/it would have matched/).waitFor();
    await result.getByRole("table", { name: "Examples" }).getByText("collect").first().waitFor();
    await screenshot(page, "governance-policy-light");
    await page.getByRole("button", { name: "Save" }).click();
    await has(page, "Saved policy people-pay.");
    expect((await site.api.request("GET", "policies/people-pay")).body).toMatchObject({
      action: "block",
      reason: "Nobody reads",
    });
    await site.api.request("PUT", "policies/people-pay", { body: PEOPLE_PAY });
  });

  it("begins a new one with every field at hand: chosen by keyboard, checked at its line", async () => {
    const page = await visit({ theme: "dark", path: "/governance/agents/-" });
    await page.getByLabel(/^Name/).fill("clerk");
    const fields = page.getByRole("region", { name: "Fields of an agent" });
    await fields.getByText("whole number, 1 to 10, default: 1").waitFor();
    await fields.getByRole("button", { name: "rate_limit" }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".cm-activeLine", { hasText: "rate_limit:" }).waitFor();
    await page.locator(".cm-line", { hasText: "per_seconds: 1" }).waitFor();
    await fields.getByRole("button", { name: "model" }).click();
    await page.locator(".cm-activeLine", { hasText: "model:" }).waitFor();
    // The cursor stands where the value goes; without one the server says at which line it is missing.
    const problem = page.getByRole("list", { name: "Problems" }).getByRole("button", { name: /line 7.*bad_name/ });
    await problem.waitFor();
    await screenshot(page, "governance-new-agent-dark");
    // Text for screen readers must not make the page longer.
    expect(
      await page.evaluate("document.documentElement.scrollHeight - document.querySelector('.shell').offsetHeight"),
    ).toBe(0);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.type("tide-1");
    await problem.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save" }).click();
    await has(page, "Saved agent clerk.");
    expect((await site.api.request("GET", "agents/clerk")).body).toMatchObject({
      model: "tide-1",
      rateLimit: { count: 1, perSeconds: 1 },
    });
    await page.goto(`${site.url}/settings/library/-`);
    await page
      .getByRole("region", { name: "Fields of a library step" })
      .getByRole("button", { name: "on_failure" })
      .click();
    await page.locator(".cm-activeLine", { hasText: "on_failure: retry_once" }).waitFor();
  });

  it("shows how budgets burn down", async () => {
    const page = await visit({ path: "/governance/budgets" });
    await has(page, "exhausted");
    await page.getByRole("link", { name: "house" }).click();
    await has(page, /\$0\.64 of \$2\.00/);
    await page.getByRole("img", { name: /Left of \$2\.00/ }).waitFor();
    await screenshot(page, "governance-budget-light");
  });

  it("makes an agent, shows it, and deletes it when its name was typed", async () => {
    const page = await visit({ path: "/governance/agents" });
    await page.getByRole("button", { name: "New agent" }).click();
    await page.getByLabel("Name").fill("intern");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/agents\/intern/);
    await has(page, "3 of 10");
    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Delete" }).isDisabled()).toBe(true);
    await dialog.getByLabel(/Type intern/).fill("intern");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.waitForURL(/agents$/);
    expect((await site.api.request("GET", "agents/intern")).status).toBe(404);
  });

  it("closes and opens the platform, with a reason", async () => {
    const page = await visit({ path: "/governance" });
    await page.getByRole("button", { name: "Close platform" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Close", exact: true }).last().isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("a drill");
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();
    await has(page, "Platform closed: a drill");
    await page.getByRole("button", { name: "Open platform" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Open", exact: true }).click();
    await has(page, "Platform open");
  });

  it("shows gateways and their health", async () => {
    const page = await visit({ path: "/governance/gateways/local" });
    await has(page, "Healthy");
    await has(page, "This gateway is the server itself.");
  });
});

describe("usage", () => {
  it("draws what was spent and exports it", async () => {
    const page = await visit({ path: "/usage?by=agent" });
    await page.getByRole("img", { name: "Cost by agent over time" }).waitFor();
    await page.getByRole("table", { name: "Spent by agent" }).getByText("analyst").waitFor();
    await screenshot(page, "usage-light");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toContain("bucket_start,agent,");
    expect(text).toContain(",analyst,");
    await choose(page, "Measure", "Tokens");
    await page.getByRole("img", { name: "Tokens by agent over time" }).waitFor();
    expect(page.url()).toContain("measure=tokens");
  });
});

describe("audit", () => {
  it("shows the chain, filters, and opens a record", async () => {
    const page = await visit({ path: "/audit" });
    await has(page, /Verified up to record \d+/);
    await choose(page, "Category", "governance");
    await choose(page, "Type", "policy.changed");
    const list = page.getByRole("list", { name: "Audit records" });
    await list.getByText("policy/people-pay").first().waitFor();
    await list.locator("summary").first().click();
    await list.getByText(/Hash/).first().waitFor();
    await screenshot(page, "audit-light");
    await page.getByRole("button", { name: "Verify" }).click();
    await has(page, /Verified up to record \d+/);
    await expect
      .poll(() => page.getByRole("link", { name: "Export" }).getAttribute("href"))
      .toBe("/api/v1/audit/export?organisation=default");
  });
});

describe("settings", () => {
  it("makes a key that is shown once, and revokes it", async () => {
    const page = await visit({ path: "/settings" });
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByLabel("Label").fill("build server");
    await choose(page, "Role", /^operator/);
    await page.getByRole("button", { name: "Create key" }).click();
    const secret = await page.getByRole("region", { name: "The new key" }).textContent();
    expect(secret).toMatch(/^slk_/);
    expect((await site.api.request("GET", "session", { key: secret ?? "" })).body).toMatchObject({
      label: "build server",
    });
    await screenshot(page, "settings-key-light");
    await page.getByRole("button", { name: "I have saved it" }).click();
    const row = page.getByRole("row", { name: /build server/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.getByText("revoked").waitFor();
    expect((await site.api.request("GET", "session", { key: secret ?? "" })).status).toBe(401);
  });

  it("registers a webhook and shows its deliveries", async () => {
    const address = receiver.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const page = await visit({ path: "/settings/webhooks/-" });
    await page.getByLabel("Name").fill("desk");
    await writeAll(page, `url: http://127.0.0.1:${port}/\nevents: [run.completed]\nsecret: a-secret-of-our-own\n`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/webhooks\/desk/);
    await has(page, "Nothing was sent yet.");
    // The secret is kept and never shown again.
    await page.locator(".code-editor .cm-content").getByText("run.completed").waitFor();
    await expect.poll(() => page.locator(".code-editor .cm-content").textContent()).not.toContain("a-secret");
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("table", { name: "Deliveries" }).getByText("webhook.test").waitFor();
    const cut = await page.evaluate<number>(
      "[...document.querySelectorAll('.table-box')].reduce((most, box) => Math.max(most, box.scrollWidth - box.clientWidth), 0)",
    );
    expect(cut).toBe(0);
    expect(received).toBeGreaterThanOrEqual(0);
  });

  it("registers a secret, says what is missing for its value, and shows what may be shown", async () => {
    const page = await visit({ path: "/settings/secrets/-" });
    await page.getByLabel("Name").fill("billing-token");
    await writeAll(page, `value: a-value-of-our-own\nscopes: [gateway:local]\n`);
    await page.getByRole("button", { name: "Save" }).click();
    await has(page, /started without SLUICE_SECRET_KEY/);
    await writeAll(page, `from: { file: billing/token }\nscopes: [gateway:local]\n`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/secrets\/billing-token/);
    const editor = page.locator(".code-editor .cm-content");
    await editor.getByText("gateway:local").waitFor();
    await expect.poll(() => editor.textContent()).not.toMatch(/version|last_used/);
    await page.getByRole("tab", { name: "Secrets" }).click();
    await page.locator("tr[data-key='billing-token']").getByText("gateway:local").waitFor();
  });

  it("shows the slots of a schedule, and library steps", async () => {
    const page = await visit({ path: "/settings/schedules/nightly" });
    await has(page, "No slot has come yet.");
    await page.getByRole("tab", { name: "Library" }).click();
    await has(page, "summarise");
    await page.getByRole("tab", { name: "Teams" }).click();
    await has(page, "No teams yet");
  });

  it("shows the entries of a kind here and on the pages that have some of them, one after the other", async () => {
    const grant = { tool: "refund", agent: "analyst", until: "2031-01-01T00:00:00Z" };
    expect((await site.api.request("PUT", "grants/small", { body: grant })).status).toBe(201);
    const page = await visit({ path: "/settings/schedules" });
    const go = (name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).click();
    await page.locator("tr[data-key='nightly']").waitFor();
    await go("Workflows");
    await page.getByRole("link", { name: "refund", exact: true }).click();
    await page.getByRole("tab", { name: "Schedules" }).click();
    await page.getByRole("heading", { name: "nightly" }).waitFor();
    await go("Governance");
    await page.getByRole("tab", { name: "Agents" }).click();
    await page.getByRole("link", { name: "analyst" }).click();
    await page.locator("a[href$='/settings/grants/small']").waitFor();
    await go("Settings");
    await page.getByRole("tab", { name: "Grants" }).click();
    await page.locator("tr[data-key='small']").waitFor();
    await page.getByRole("tab", { name: "Schedules" }).click();
    await page.locator("tr[data-key='nightly']").waitFor();
    expect(site.complaints).toEqual([]);
  });

  it("can be gone through with the keyboard alone", async () => {
    const page = await visit({ path: "/settings/library" });
    await page.getByRole("tab", { name: "Library" }).focus();
    await page.keyboard.press("ArrowRight");
    await has(page, "No models yet");
    await page.keyboard.press("ArrowLeft");
    await has(page, "summarise");
    await page.locator("tr[data-key='summarise']").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(/library\/summarise/);
    await page.locator(".code-editor .cm-content").waitFor();
  });

  it("offers nothing to those who may not", async () => {
    const key = await site.api.key("viewer");
    const page = await visit({ path: "/governance/policies/people-pay", key });
    await has(page, /You may look at it/);
    await expect.poll(() => page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.goto(`${site.url}/settings`);
    await has(page, "You may not manage keys");
  });
});

describe("how these screens look", () => {
  const SCREENS: readonly (readonly [string, string, string | RegExp])[] = [
    ["governance-gates", "/governance", "gateway_health"],
    ["governance-policies", "/governance/policies", "people-pay"],
    ["governance-budgets", "/governance/budgets", "exhausted"],
    ["governance-agents", "/governance/agents/analyst", "refund / assess"],
    ["governance-gateways", "/governance/gateways", "Healthy"],
    ["usage", "/usage?by=workflow", "Top spenders"],
    ["audit", "/audit", /Verified up to record/],
    ["settings-keys", "/settings/keys", "New key"],
    ["settings-people", "/settings/people", "No person has signed in yet"],
    ["settings-organisation", "/settings/organisation", "New organisation"],
    ["account-key", "/account", "Signed in with the key admin."],
    ["settings-schedule", "/settings/schedules/nightly", "No slot has come yet."],
    ["settings-teams", "/settings/teams", "No teams yet"],
    ["settings-channels", "/settings/channels", "No channels yet"],
    ["settings-secrets", "/settings/secrets", "billing-token"],
  ];

  describe.each([
    ["light", 1280],
    ["dark", 390],
  ] as const)("in %s at %i pixels", (theme, width) => {
    let page: Page;
    beforeAll(async () => {
      page = await site.visit({ theme, width, height: 844 });
    });
    afterAll(() => site.leave(page));

    it.each(SCREENS)("%s is accessible and fits", async (name, path, text) => {
      await page.goto(`${site.url}${path}`);
      await has(page, text);
      await screenshot(page, `${name}-${theme}-${width}`);
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    });
  });

  it("gives the browser nothing to complain about", () => {
    expect(site.complaints).toEqual([]);
  });
});
