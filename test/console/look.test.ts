import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHECKOUT } from "../../scripts/checkout.mjs";
import { createNoonClock } from "../api/fixture.ts";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const LINE = `name: line
args: { order: { type: integer, default: 4711 } }
steps:
${["one", "two", "three", "four", "five", "six", "seven"].map((id, index, ids) => `  - { id: ${id}, command: "Do it", depends_on: [${ids[index - 1] ?? ""}] }`).join("\n")}
`;
const BREAKS = `name: breaks
args: { order: { type: integer, default: 4711 } }
steps: [{ id: charge, command: "Charge" }]
`;
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "breaks/charge": { fail: "provider_auth", message: "HTTP 503" },
    "line/one": { stdout: "done", cost_usd: 0.9 },
  },
});
const FIRST_LOAD_MAX = 180_000;
const PATHS = [
  "/",
  "/workflows",
  "/runs",
  "/approvals",
  "/governance/budgets",
  "/trends",
  "/usage",
  "/audit",
  "/settings",
];

let site: Site;
let runId = "";
beforeAll(async () => {
  site = await openSite(SCRIPT, [], { clock: createNoonClock() });
  for (const source of [LINE, BREAKS]) await site.api.save(source);
  const manifest =
    "kind: Budget\nname: all\nspec: { scope: global, period: monthly, amount_usd: 1, alert_at: [0.5] }\n";
  await site.api.request("POST", "apply", { body: manifest, headers: { "content-type": "application/yaml" } });
  runId = await site.api.run("line");
  for (let count = 0; count < 2; count += 1) await site.api.run("breaks", { order: 4711 + count });
}, 180_000);
afterAll(() => site?.close());

describe("how the console looks", () => {
  it("loads little at first, with its own typeface", async () => {
    const page = await visitDuringTest(site, { path: "/" });
    await page.locator(".tiles").waitFor();
    await page.evaluate("document.fonts.ready.then(() => undefined)");
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    const names = loaded.flatMap((address) => /\/assets\/([^?]+)$/.exec(new URL(address).pathname)?.[1] ?? []);
    expect(names.some((name) => name.startsWith("inter-latin"))).toBe(true);
    const sizes = [...new Set(names)].map((name) => {
      const content = readFileSync(join(CHECKOUT, "dist", "console", "assets", name));
      return [name, name.endsWith(".woff2") ? content.length : gzipSync(content).length] as const;
    });
    const sum = sizes.reduce((all, [, size]) => all + size, 0);
    expect(sum, JSON.stringify(sizes)).toBeLessThanOrEqual(FIRST_LOAD_MAX);
    expect(await page.evaluate("document.fonts.check('16px \"Inter Variable\"')")).toBe(true);
  });

  it("has titles that stand out and no list of choices of the browser, on every screen", async () => {
    const page = await visitDuringTest(site, { width: 1440 });
    for (const path of PATHS) {
      await page.goto(`${site.url}${path}`);
      const title = page.getByRole("heading", { level: 1 });
      await title.waitFor();
      const size = await page.evaluate<number>("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)");
      expect([path, size >= 24]).toEqual([path, true]);
      expect([path, await page.locator("select").count()]).toEqual([path, 0]);
    }
  });

  it("colours a budget by one rule everywhere", async () => {
    const page = await visitDuringTest(site, { path: "/" });
    const meter = page.getByRole("meter", { name: "Spent of all" });
    await meter.waitFor();
    await expect.poll(() => meter.getAttribute("data-state")).toBe("near");
    await page.goto(`${site.url}/governance/budgets`);
    await meter.waitFor();
    await expect.poll(() => meter.getAttribute("data-state")).toBe("near");
  });

  it("never draws the text of a node smaller than 11 pixels", async () => {
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=one`, width: 1024 });
    const name = page.locator('.graph-card[data-node="one"] .graph-card-name');
    await name.waitFor();
    for (let step = 0; step < 4; step += 1) {
      const shown = await page.evaluate<number>(
        `(() => { const name = document.querySelector('.graph-card-name'); const flow = document.querySelector('.react-flow__viewport');
          return name === null || getComputedStyle(name).display === "none" ? 11 : parseFloat(getComputedStyle(name).fontSize) * new DOMMatrix(getComputedStyle(flow).transform).a; })()`,
      );
      expect(shown).toBeGreaterThanOrEqual(10.99);
      await page.locator(".graph-tools button").nth(1).click();
      await page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null))))",
      );
    }
  });
});

describe("finding runs", () => {
  it("searches by words and chips in the address, groups by error, and shows why in the row", async () => {
    const page = await visitDuringTest(site, { path: "/runs", width: 1440 });
    await page.getByRole("searchbox", { name: "Search runs" }).fill("4712");
    await page.waitForURL(/q=4712/);
    await expect.poll(() => page.locator("tr[data-key]").count()).toBe(1);
    await page.locator("tr[data-key]", { hasText: "order 4712" }).waitFor();
    await page.locator("tr[data-key] .text-bad", { hasText: "provider_auth: charge failed: HTTP 503" }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("button", { name: "Add filter" }).click();
    await page.getByRole("menuitem", { name: "Error" }).click();
    await page.getByRole("dialog").getByLabel("Error").fill("provider_auth");
    await page.keyboard.press("Enter");
    await page.waitForURL(/error=provider_auth/);
    await expect.poll(() => page.locator("tr[data-key]").count()).toBe(2);
    await screenshot(page, "runs-chips");
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Group by error").check();
    await page
      .getByRole("table", { name: "Errors" })
      .getByRole("row", { name: /2 provider_auth/ })
      .waitFor();
    await page.getByRole("button", { name: "Remove the filter Error" }).click();
    await page.waitForURL((url) => !url.search.includes("error=provider_auth"));
  });

  it("shows trends whose figures open their runs", async () => {
    const page = await visitDuringTest(site, { path: "/trends", width: 1440 });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole("heading", { level: 1, name: "Trends" }).waitFor();
          return page.getByRole("list", { name: "Throughput" }).getByRole("link").count();
        },
        { interval: 1_500 },
      )
      .toBeGreaterThan(0);
    await screenshot(page, "trends");
    expect(await violations(page)).toEqual([]);
    // The same figures of one workflow alone.
    await choose(page, "Show", "breaks");
    await page.waitForURL(/group=breaks/);
    await expect
      .poll(() => page.getByRole("list", { name: "Success rate" }).getByRole("link").allTextContents())
      .toHaveLength(1);
    await page.getByRole("link", { name: /: 2 runs$/ }).waitFor();
    await choose(page, "Show", "All runs");
    await page.getByRole("link", { name: /: 3 runs$/ }).waitFor();
    await page.getByRole("list", { name: "Throughput" }).getByRole("link").last().click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await expect.poll(() => page.locator("tr[data-key]").count()).toBe(3);
  });

  it("complains about nothing", () => {
    expect(site.complaints).toEqual([]);
  });
});
