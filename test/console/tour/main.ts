/** Drives the console through its main stories in a browser, and writes a picture of each: `npm run console:tour [-- FOLDER]`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { CHECKOUT } from "../../../scripts/checkout.mjs";
import { choose } from "../choose.ts";
import { openSite, type Site } from "../site.ts";
import { FAILING_ORDERS, REFUNDS, REPORT, SCRIPT } from "./workflows.ts";

const folder = process.argv[2] ?? join(CHECKOUT, "docs", "pictures");
const SIZE = { width: 1280, height: 800 };

async function picture(page: Page, name: string): Promise<void> {
  // What moves in is still moving, and toasts are for those who act.
  await page.evaluate("document.fonts.ready");
  await page.addStyleTag({ content: ".toasts { display: none }" }).catch(() => undefined);
  await page.waitForTimeout(600);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  process.stdout.write(`${name}.png\n`);
}

/** Runs of several weeks would take weeks: these are enough for every screen to have something to show. */
async function prepare({ api }: Site): Promise<void> {
  for (const source of [REPORT, REFUNDS, FAILING_ORDERS]) await api.save(source);
  await api.request("PUT", "budgets/desk", { body: { scope: "global", period: "daily", amount_usd: 25 } });
  for (const topic of ["tides", "comets", "moss"]) await api.run("weekly-report", { topic });
  for (const order of ["A-4710", "A-4711"]) await api.run("orders", { order });
  await api.run("refunds");
}

const cardOf = (page: Page, key: string) => page.locator(`.graph-card[data-key="${key}"]`);

async function drawing(page: Page): Promise<void> {
  const take = (label: string) =>
    page.getByRole("navigation", { name: "Kinds of steps" }).getByRole("button", { name: label, exact: true }).click();
  const fill = (label: string, text: string) =>
    page.locator(".draw-panel").getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel("Name", { exact: true }).fill("refund-desk");
  await take("HTTP request");
  await cardOf(page, "fetch").waitFor();
  await fill("Request", "GET orders");
  await page.getByRole("button", { name: "Add output" }).click();
  await page.getByLabel("Name of output 1 of Outputs").fill("orders");
  await page.keyboard.press("Enter");
  await choose(page, "Type of orders", "array");
  await take("For each");
  await cardOf(page, "each").waitFor();
  await page.getByRole("button", { name: "Insert a value into For each element of" }).click();
  await page.getByRole("option", { name: /fetch\.orders/ }).click();
  await take("Agent");
  await cardOf(page, "each/ask").waitFor();
  await fill("Instruction", "Is this a refund? ${item}");
  await take("Choose");
  await cardOf(page, "each/decide/branch.0").waitFor();
  await cardOf(page, "each/decide/branch.0").locator(".graph-card-name").click();
  await fill("When", "ask.stdout == 'yes'");
  await take("Approval");
  await cardOf(page, "each/decide/0.approve").waitFor();
  await take("Function");
  await cardOf(page, "each/decide/0.call").waitFor();
  await fill("Function", "refund");
  // Without steps yet, so that the picture shows where a mistake is marked.
  await cardOf(page, "each/decide").locator(".graph-card-name").first().click();
  await page.locator(".draw-panel").getByRole("button", { name: "Add otherwise" }).click();
  await cardOf(page, "each/decide/branch.1").locator(".graph-card-name").click();
}

async function tour(site: Site): Promise<void> {
  const page = await site.visit({ ...SIZE });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await picture(page, "home");
  await page.goto(`${site.url}/workflows`);
  await page.getByText("weekly-report").first().waitFor();
  await picture(page, "workflows");
  const drawn = await site.visit({ width: 1440, height: 900, path: "/workflows/-?template=empty" });
  await drawing(drawn);
  await drawn.locator(".graph-mark").first().waitFor();
  await picture(drawn, "canvas");
  const policy = await site.visit({ width: 1440, height: 900, path: "/governance/policies/-" });
  await policy.getByLabel(/^Name/).fill("people-let-money-go");
  await policy.getByText(/^Would have matched/).waitFor();
  await policy.getByRole("button", { name: "Insert a value into Condition" }).click();
  await picture(policy, "policy");
  const written = await site.visit({ ...SIZE, path: "/workflows/refunds?tab=editor" });
  await written.locator(".code-editor .cm-key").first().waitFor();
  await written.getByRole("tab", { name: "Simulate" }).click();
  await written.getByLabel(/^No one/).check();
  await written.getByLabel(/On the server/).check();
  await written.getByRole("button", { name: "Simulate", exact: true }).click();
  await written.getByRole("region", { name: "Forecast" }).waitFor();
  await picture(written, "simulate");
  await written.goto(`${site.url}/runs?q=A-4711`);
  await written.getByRole("table").first().waitFor();
  await picture(written, "find");
  await written.getByRole("table").first().getByRole("link").first().click();
  await written.waitForURL(/\/runs\/run_/);
  await written.getByRole("heading", { level: 1 }).waitFor();
  await picture(written, "run");
  await written.goto(`${site.url}/approvals`);
  await written
    .getByRole("button", { name: /^Approve/ })
    .first()
    .waitFor();
  await picture(written, "approvals");
  const dark = await site.visit({ ...SIZE, theme: "dark", path: "/trends" });
  await dark.getByRole("heading", { level: 1 }).waitFor();
  await picture(dark, "trends");
}

mkdirSync(folder, { recursive: true });
const site = await openSite(SCRIPT);
try {
  await prepare(site);
  await tour(site);
} finally {
  await site.close();
  await site.browser.close();
}
