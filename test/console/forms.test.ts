import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const REFUND = `name: refund
steps:
  - { id: collect, command: Collect what was written, action: read }
  - { id: pay, command: Pay it, action: financial, depends_on: [collect] }
`;
/** Every collection whose entries are made by a form, with where it stands. */
const KINDS = [
  ...["policies", "budgets", "agents", "gateways"].map((name) => `/governance/${name}`),
  ...["webhooks", "channels", "schedules", "triggers", "lenses", "teams", "library", "models", "credit-plans"].map(
    (name) => `/settings/${name}`,
  ),
  ...["retentions", "tools", "functions", "grants", "deployments", "bindings", "secrets", "alerts"].map(
    (name) => `/settings/${name}`,
  ),
];

let site: Site;
beforeAll(async () => {
  site = await openSite("default: echo\n", [], { secretKey: "a key of the installation" });
  await site.api.save(REFUND);
  await site.api.run("refund");
}, 180_000);
afterAll(() => site?.close());

const visit = (visited: Visit) => visitDuringTest(site, { width: 1440, height: 900, ...visited });

const yaml = (page: Page) => page.locator(".code-editor .cm-content");
const read = async (path: string) => (await site.api.request("GET", path)).body;

describe("manifests by form", () => {
  it.each(KINDS)("has a form with YAML beside it at %s", async (path) => {
    const page = await visit({ path: `${path}/-` });
    await page.locator(".form .form-field, .form .form-group").first().waitFor();
    await page.getByRole("region", { name: "YAML" }).waitFor();
    await expect.poll(() => page.locator(".form [data-field]").count()).toBeGreaterThan(0);
  });

  it("makes a policy of the facts' list, and counts what it would have met while it is written", async () => {
    const page = await visit({ path: "/governance/policies/-" });
    await page.getByLabel(/^Name/).fill("no-money");
    await choose(page, "Action", "block");
    const condition = page.getByLabel("Condition", { exact: true });
    await condition.fill("");
    await page.getByRole("button", { name: "Insert a value into Condition" }).click();
    await page.getByRole("option", { name: /^node\.action/ }).click();
    await condition.press("End");
    await condition.pressSequentially(" == 'financial'");
    await page.getByRole("status").getByText("Would have matched 1 of 2 verdicts").waitFor();
    await yaml(page).getByText("condition: node.action == 'financial'").waitFor();
    // A name that is no fact is refused at its field and at its line.
    await condition.fill("nod.action == 'financial'");
    await page.locator('[data-field="condition"] .field-problem').waitFor();
    await page.getByRole("list", { name: "Problems" }).getByText("line 3").waitFor();
    await condition.fill("node.action == 'financial'");
    await page.locator('[data-field="condition"] .field-problem').waitFor({ state: "detached" });
    await screenshot(page, "form-policy");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/policies\/no-money/);
    expect(await read("policies/no-money")).toMatchObject({ action: "block", condition: "node.action == 'financial'" });
  });

  it("says a cron in words, with the next five times", async () => {
    const page = await visit({ path: "/settings/schedules/-" });
    const cron = page.getByLabel("Cron", { exact: true });
    await cron.fill("30 8 * * mon-fri");
    await page.getByText("At 08:30, Monday to Friday").waitFor();
    await expect.poll(() => page.getByRole("list", { name: "Next times" }).getByRole("listitem").count()).toBe(5);
    await cron.fill("every day");
    await page.getByText("At 08:30, Monday to Friday").waitFor({ state: "detached" });
    await page.locator('[data-field="cron"] .field-problem').waitFor();
  });

  it("changes what was made, entries of lists included, and keeps comments", async () => {
    await site.api.request("PUT", "agents/clerk", { body: { trust_level: 4 } });
    const page = await visit({ path: "/settings/teams/-" });
    await page.getByLabel(/^Name/).fill("desk");
    await page.getByRole("button", { name: "Add to Members" }).click();
    const second = page.getByRole("region", { name: "Members 2" });
    await choose(second, "Agent", "clerk");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/teams\/desk/);
    expect((await read("teams/desk")).members.map(({ agent }: { agent: string }) => agent)).toEqual([
      "default",
      "clerk",
    ]);
    await page.getByRole("button", { name: "Remove entry 1 of Members" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await read("teams/desk")).members.length).toBe(1);
  });

  it("changes lists of numbers, which remain numbers", async () => {
    const page = await visit({ path: "/governance/budgets/-" });
    await page.getByLabel(/^Name/).fill("desk");
    await page.getByRole("button", { name: "Remove 0.8" }).click();
    await yaml(page).getByText("alert_at: [1]").waitFor();
    await page.locator('[data-field="alert_at"] input').fill("0.5");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL(/budgets\/desk/);
    expect((await read("budgets/desk")).alertAt).toEqual([1, 0.5]);
  });

  it("never shows the value of a secret, also while it is typed, and offers none that everybody knows", async () => {
    const page = await visit({ path: "/settings/secrets/-" });
    await page.getByLabel(/^Name/).fill("mail");
    const value = page.locator('[data-field="value"] input');
    await value.waitFor();
    expect([await value.getAttribute("type"), await value.inputValue()]).toEqual(["password", ""]);
    await page.locator('[data-field="value"] .field-problem').waitFor();
    // Digits stay a text, and the YAML beside the form has dots for them.
    await value.fill("20261119");
    const hidden = yaml(page).locator(".cm-hidden-value");
    await expect.poll(() => hidden.textContent()).toBe('"20261119"');
    await page.locator('[data-field="value"] .field-problem').waitFor({ state: "detached" });
    const look =
      "getComputedStyle(document.querySelector('.code-editor').shadowRoot.querySelector('.cm-hidden-value'))";
    expect(await page.evaluate(`${look}.getPropertyValue("-webkit-text-security")`)).toBe("disc");
    await screenshot(page, "form-secret");
  });

  it("complains about nothing", () => {
    expect(site.complaints).toEqual([]);
  });
});
