import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHECKOUT } from "../../scripts/checkout.mjs";
import { ADMIN, ENDLESS, FAILING, GATED, HELLO } from "../api/fixture.ts";
import { openContext } from "../browser/browser.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

/** The first of the tests in a browser builds the console for all. */
const BUILD_MS = 180_000;

let site: Site;
let gated: string;
beforeAll(async () => {
  site = await openSite();
  for (const source of [HELLO, GATED, FAILING, ENDLESS]) await site.api.save(source);
  await site.api.run("hello", { who: "Ada" });
  await site.api.run("failing");
  gated = await site.api.run("gated");
  await site.api.request("PUT", "budgets/daily", { body: { scope: "global", period: "daily", amount_usd: 10 } });
}, BUILD_MS);
afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const live = (page: Page, phase = "live") => page.locator(`[data-live="${phase}"]`).waitFor();
const soon = <T>(look: () => Promise<T> | T) => expect.poll(look);
const runOf = (page: Page, runId: string) => page.locator(`tr[data-key="${runId}"]`);

describe("signing in", () => {
  it("takes a one-time link once, and keeps the key where no script can read it", async () => {
    const path = site.api.app.signInPath(ADMIN) ?? "";
    const context = await openContext();
    const page = await context.newPage();
    await page.goto(site.url + path);
    await heading(page, "Home");
    expect(page.url()).toBe(`${site.home}/`);
    expect(await page.evaluate("document.cookie")).toBe("");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: "sluice_session", httpOnly: true, sameSite: "Lax" });
    expect(cookie?.value).not.toContain("slk_");
    await context.close();

    const late = await openContext();
    const second = await late.newPage();
    await second.goto(site.url + path);
    await second.getByText("That link was used or has expired").waitFor();
    await second.getByLabel("Key").fill("slk_nobody_knows_this_one");
    await second.getByRole("button", { name: "Sign in" }).click();
    const problem = second.getByRole("alert");
    await problem.getByText("unauthenticated").waitFor();
    await expect.poll(() => problem.textContent()).toMatch(/req_[0-9a-f]{24}/);
    expect(await violations(second)).toEqual([]);
    await screenshot(second, "sign-in");
    await second.getByLabel("Key").fill(ADMIN);
    await second.keyboard.press("Enter");
    await heading(second, "Home");
    await second.getByRole("button", { name: /^Signed in as/ }).click();
    await second.getByRole("menuitem", { name: "Sign out" }).click();
    await second.getByLabel("Key").waitFor();
    await late.close();
  });
});

describe("the build", () => {
  const assets = join(CHECKOUT, "dist", "console", "assets");
  const schemas = (name: string): boolean => readFileSync(join(assets, name), "utf8").includes("ZodError");

  it("keeps schemas out of the live script, which stays small", () => {
    const scripts = readdirSync(assets).filter((name) => /^(?:shared|member)-script/.test(name));
    expect(scripts).toHaveLength(2);
    for (const name of scripts) expect(statSync(join(assets, name)).size, name).toBeLessThan(20_000);
    expect(scripts.filter(schemas)).toEqual([]);
  });

  it("keeps schemas out of the first load", () => {
    const page = readFileSync(join(CHECKOUT, "dist", "console", "index.html"), "utf8");
    const loaded = [...page.matchAll(/assets\/([\w.-]+\.js)/g)].map((match) => match[1] ?? "");
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter(schemas)).toEqual([]);
  });
});

describe("the shell", () => {
  it("chooses its theme by the system, changes it, and remembers", async () => {
    const page = await visitDuringTest(site, { theme: "dark" });
    const theme = () => page.evaluate("document.documentElement.dataset.theme");
    expect(await theme()).toBe("dark");
    await page.getByRole("button", { name: "Light theme" }).click();
    await soon(theme).toBe("light");
    await page.reload();
    await heading(page, "Home");
    expect(await theme()).toBe("light");
    await page.getByRole("button", { name: "Relative" }).click();
    await page.getByRole("button", { name: "Local" }).click();
    await page
      .getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
      .first()
      .waitFor();
  });

  it("is used by keyboard alone: skip link, g-keys, overlay, palette", async () => {
    const page = await visitDuringTest(site);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await heading(page, "Runs");
    await page.keyboard.press("?");
    const overlay = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await overlay.getByText("Go to Approvals").waitFor();
    await page.keyboard.press("Escape");
    await overlay.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await palette.getByRole("combobox").fill("gated");
    await palette.getByRole("option", { name: /^gated Workflow/ }).waitFor();
    await palette.getByRole("combobox").fill("default agent");
    await palette.getByRole("option", { name: /^default Agent/ }).waitFor();
    await palette.getByRole("combobox").fill("settings webhooks");
    await palette.getByRole("option", { name: /^Settings: Webhooks/ }).waitFor();
    await palette.getByRole("combobox").fill("go to appro");
    await expect.poll(() => palette.getByRole("option", { selected: true }).textContent()).toContain("Approvals");
    await screenshot(page, "palette");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await heading(page, "Approvals");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await heading(page, "Runs");
    const second = await page.locator("tr[data-key]").nth(1).getAttribute("data-key");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await soon(() => page.evaluate("document.activeElement.dataset.key")).toBe(second);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${site.home}/runs/${second}`);
  });

  it("shows that a page is not there, and answers programs with a problem", async () => {
    const page = await visitDuringTest(site, { path: "/no/such/page" });
    await page.getByText("There is no such page").waitFor();
    const response = await fetch(`${site.url}/api/v1/nothing`);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      404,
      expect.stringContaining("problem+json"),
    ]);
  });

  it("shows when it has lost the server, and comes back by itself", async () => {
    const page = await visitDuringTest(site, { path: "/runs" });
    await live(page);
    await site.stop();
    await page.locator('[data-live="reconnecting"], [data-live="offline"]').waitFor();
    await screenshot(page, "reconnecting");
    await site.start();
    await live(page);
    const runId = await site.api.run("hello", { who: "back" });
    await runOf(page, runId).waitFor();
  });

  it("has one connection for ten tabs: all follow to the end, also when the one that opened it is closed", async () => {
    const open = () => site.api.app.streams().open;
    await soon(open).toBe(0);
    const runId = await site.api.run("gated");
    const run = `/runs/${runId}`;
    const first = await site.visit({ path: run });
    const tab = async (path: string): Promise<Page> => {
      const page = await first.context().newPage();
      await page.goto(site.url + path);
      return page;
    };
    const [second, third, fourth] = await Promise.all([run, `${run}?node=publish`, `${run}?at=2`].map(tab));
    const [home, runs, approvals, ...others] = await Promise.all(
      ["/", "/runs", "/approvals", "/workflows", "/governance", "/usage"].map(tab),
    );
    const all = [first, second, third, fourth, home, runs, approvals, ...others].filter((page) => page !== undefined);
    expect(all).toHaveLength(10);
    for (const page of all) await live(page);
    for (const page of [first, second, third]) await page?.locator('.run-facts [data-status="blocked"]').waitFor();
    await soon(open).toBe(1);
    await first.close();
    const { data } = (await site.api.request("GET", "approvals?status=pending")).body;
    const asked = data.find((approval: { runId: string }) => approval.runId === runId);
    await site.api.request("POST", `approvals/${asked.id}/resolve`, { body: { decision: "approve" } });
    expect(await site.api.settle(runId)).toBe("completed");
    const state = (await site.api.request("GET", `runs/${runId}/state`)).body;
    for (const page of [second, third]) {
      await page?.locator(`.run-page[data-run-event="${state.lastEventId}"]`).waitFor();
      await page?.locator('.run-facts [data-status="completed"]').waitFor();
    }
    // A page at an earlier event stays there.
    await expect.poll(() => fourth?.locator(".run-page").getAttribute("data-run-event")).toBe("2");
    await runs?.locator(`tr[data-key="${runId}"] [data-status="completed"]`).waitFor();
    await home?.locator(`tr[data-key="${runId}"]`).waitFor({ state: "detached" });
    await approvals?.locator(`a[href^="${run}"]`).waitFor({ state: "detached" });
    expect(open()).toBe(1);
    for (const page of all) if (page !== runs) await page.close();
    const later = await site.api.run("hello", { who: "the last tab" });
    if (runs !== undefined) await runOf(runs, later).waitFor();
    expect(open()).toBe(1);
    await first.context().close();
    await soon(open).toBe(0);
  });

  it("has one connection for all tabs also where no script can be shared, and another tab takes it over", async () => {
    const open = () => site.api.app.streams().open;
    await soon(open).toBe(0);
    const signedIn = await site.visit();
    const context = signedIn.context();
    await context.addInitScript("delete globalThis.SharedWorker");
    const runId = await site.api.run("gated");
    const tab = async (path: string): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(site.url + path);
      await live(page);
      return page;
    };
    await signedIn.close();
    const leader = await tab(`/runs/${runId}`);
    const [run, runs] = [await tab(`/runs/${runId}`), await tab("/runs")];
    expect(await run.evaluate("typeof SharedWorker")).toBe("undefined");
    await run.locator('.run-facts [data-status="blocked"]').waitFor();
    await soon(open).toBe(1);
    await leader.close();
    await soon(open).toBe(1);
    const { data } = (await site.api.request("GET", "approvals?status=pending")).body;
    const asked = data.find((approval: { runId: string }) => approval.runId === runId);
    await site.api.request("POST", `approvals/${asked.id}/resolve`, { body: { decision: "approve" } });
    expect(await site.api.settle(runId)).toBe("completed");
    const state = (await site.api.request("GET", `runs/${runId}/state`)).body;
    await run.locator(`.run-page[data-run-event="${state.lastEventId}"]`).waitFor();
    await run.locator('.run-facts [data-status="completed"]').waitFor();
    await runs.locator(`tr[data-key="${runId}"] [data-status="completed"]`).waitFor();
    expect(open()).toBe(1);
    await run.close();
    await runOf(runs, await site.api.run("hello", { who: "the last tab" })).waitFor();
    await context.close();
    await soon(open).toBe(0);
  });

  it("shows in every tab that a launch waits, and that it was answered", async () => {
    const posture = (to: string) =>
      site.api.request("POST", "apply", {
        body: [{ kind: "Workflow", name: "hello", spec: { source: HELLO, posture: to } }],
      });
    const home = await site.visit();
    const inbox = await home.context().newPage();
    await inbox.goto(`${site.url}/approvals`);
    for (const page of [home, inbox]) await live(page);
    await posture("approval_required");
    const start = { body: { workflow: "hello", args: { who: "Ada" } } };
    expect((await site.api.request("POST", "runs", start)).status).toBe(403);
    await home.getByText("A launch waits for approval").first().waitFor();
    await home.getByRole("link", { name: /Start hello version 1/ }).waitFor();
    await inbox.locator(".inbox-item", { hasText: "Start hello version 1" }).click();
    await inbox.getByRole("region", { name: /Start hello version 1/ }).waitFor();
    await inbox.getByRole("button", { name: /^Approve/ }).waitFor();
    await inbox.keyboard.press("a");
    await inbox.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await inbox.locator(".inbox-item", { hasText: "Start hello version 1" }).waitFor({ state: "detached" });
    await home.getByRole("link", { name: /Start hello version 1/ }).waitFor({ state: "detached" });
    expect((await site.api.request("POST", "runs", start)).status).toBe(201);
    await posture("bounded_autonomous");
    await home.context().close();
  });
});

describe("the runs", () => {
  it("change as they happen, are filtered by the address, and cancelled together after typing how many", async () => {
    const page = await visitDuringTest(site, { path: "/runs?workflow=endless" });
    await page.getByText("No results").waitFor();
    await live(page);
    const started = await Promise.all(
      [1, 2].map(
        async () => (await site.api.request("POST", "runs", { body: { workflow: "endless" } })).body.id as string,
      ),
    );
    for (const runId of started) await runOf(page, runId).waitFor();
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByLabel("Name").fill("Endless ones");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Endless ones", exact: true }).waitFor();
    await page.getByLabel("Select all").check();
    await page.getByRole("button", { name: "Cancel 2" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Cancel 2" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("not needed");
    await dialog.getByLabel(/^Type/).fill("cancel 2");
    await screenshot(page, "runs-bulk");
    await dialog.getByRole("button", { name: "Cancel 2" }).click();
    for (const runId of started) await runOf(page, runId).getByText("Cancelled").waitFor();
  });

  it("come and leave by live messages: no page of the list is read again, except after a gap", async () => {
    const page = await visitDuringTest(site, { path: "/runs?status=running" });
    await live(page);
    // Reads of the list: the first one, and the one after the connection was made.
    const reads: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/api/v1/runs")) reads.push(pathname);
    });
    const { body } = await site.api.request("POST", "runs", { body: { workflow: "endless" } });
    await runOf(page, body.id).waitFor();
    // What the connection spoilt is read again after 800 ms at most, which the page counts: a later timer of it is after that.
    await page.evaluate("new Promise((resolve) => setTimeout(resolve, 1_000))");
    reads.length = 0;
    const late = await site.api.request("POST", "runs", { body: { workflow: "endless" } });
    await runOf(page, late.body.id).waitFor();
    await expect.poll(() => page.locator("tbody tr[data-key]").first().getAttribute("data-key")).toBe(late.body.id);
    await site.api.request("POST", `runs/${body.id}/cancel`, { body: { reason: "not needed" } });
    await runOf(page, body.id).waitFor({ state: "detached" });
    expect(reads).toEqual([`/api/v1/runs/${late.body.id}`]);
    await site.stop();
    await page.locator('[data-live="reconnecting"], [data-live="offline"]').waitFor();
    await site.api.request("POST", `runs/${late.body.id}/cancel`, { body: { reason: "not needed" } });
    expect(await site.api.settle(late.body.id)).toBe("cancelled");
    await site.start();
    await runOf(page, late.body.id).waitFor({ state: "detached" });
    expect(reads.filter((path) => path === "/api/v1/runs")).toHaveLength(1);
  });
});

describe("the approvals", () => {
  it("are answered by key: what will happen, approve, and the run continues", async () => {
    const page = await visitDuringTest(site, { path: "/approvals" });
    const { body } = await site.api.request("GET", "approvals?status=pending");
    const [asked] = body.data;
    const detail = page.getByRole("region", { name: asked.title });
    await detail.getByText("What exactly will happen").waitFor();
    await detail.getByText(asked.subjectDigest).waitFor();
    await page.getByRole("button", { name: /^Approve/ }).waitFor();
    await page.keyboard.press("a");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("No approval is waiting").waitFor();
    expect(await site.api.settle(gated)).toBe("completed");
    await page.getByRole("tab", { name: "Answered" }).click();
    await page.getByRole("region").getByText("Answered with approve by admin").waitFor();
  });

  it("are rejected only with a reason, and those that ask the same together", async () => {
    const runs = [await site.api.run("gated"), await site.api.run("gated"), await site.api.run("gated")];
    const page = await visitDuringTest(site, { path: "/approvals" });
    await page.getByRole("heading", { name: "3 approvals of gated ask the same" }).waitFor();
    await expect.poll(() => page.locator(".inbox-item").count()).toBe(1);
    await page.locator(".approval-detail .link-button").first().click();
    await page.getByRole("button", { name: /^Reject/ }).waitFor();
    await page.keyboard.press("r");
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Reject" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("too early");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await page.locator(".toast-bad", { hasText: "Rejected" }).waitFor();
    await page.getByRole("button", { name: "Approve 2 …" }).click();
    await dialog.getByLabel(/^Type/).fill("2");
    await dialog.getByRole("button", { name: "Approve 2" }).click();
    await page.getByText("No approval is waiting").waitFor();
    const statuses = await Promise.all(runs.map((runId) => site.api.settle(runId)));
    expect(statuses.toSorted()).toEqual(["completed", "completed", "failed"]);
  });
});

describe("every screen of the shell", () => {
  const screens = [
    ["/", "Home"],
    ["/workflows", "Workflows"],
    ["/runs", "Runs"],
    ["/approvals", "Approvals"],
  ] as const;
  beforeAll(async () => {
    await site.api.run("gated");
  });

  it.each(screens)("%s is accessible in both themes and fits a narrow screen", async (path, name) => {
    const page = await visitDuringTest(site, { path });
    await heading(page, name);
    await live(page);
    await page.locator(".skeleton").first().waitFor({ state: "detached" });
    for (const look of ["light", "dark", "narrow"] as const) {
      if (look === "dark") await page.getByRole("button", { name: "Dark theme" }).click();
      if (look === "narrow") await page.setViewportSize({ width: 390, height: 844 });
      expect([look, await violations(page)]).toEqual([look, []]);
      expect([look, await page.evaluate("document.documentElement.scrollWidth > innerWidth")]).toEqual([look, false]);
      // The browser of tests draws no scrollbar, so nothing stands between the bar and the edge.
      const end = "innerWidth - document.querySelector('.top-bar').getBoundingClientRect().right";
      expect([look, await page.evaluate(end)]).toEqual([look, 0]);
      await screenshot(page, `${name.toLowerCase()}-${look}`);
    }
  });

  it("makes no browser complain, of its policy or anything else", () => {
    expect(site.complaints).toEqual([]);
    expect(site.api.troubles).toEqual([]);
  });
});
