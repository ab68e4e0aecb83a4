import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overlaps } from "./overlap.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const NESTED = `name: nested
steps:
  - { id: first, command: Begin }
  - id: prepare
    depends_on: [first]
    steps:
      - { id: look, command: Look }
      - { id: deep, depends_on: [look], steps: [{ id: dig, command: Dig }, { id: fill, command: Fill, depends_on: [dig] }] }
      - { id: wait, command: Wait, depends_on: [look] }
  - id: each
    depends_on: [first]
    for_each: [1, 2]
    steps: [{ id: one, command: "Do \${item}" }]
  - { id: after, command: End, depends_on: [prepare, each] }
`;
const SCRIPT = JSON.stringify({ default: "echo", nodes: { "nested/wait": [{ hang: true }] } });

let site: Site;
let runId: string;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  await site.api.save(NESTED);
  runId = (await site.api.request("POST", "runs", { body: { workflow: "nested" } })).body.id;
}, 300_000);

afterAll(async () => {
  await site.close();
}, 60_000);

const card = (page: Page, id: string, status: string) =>
  page.locator(`.graph-card[data-node="${id}"][data-status="${status}"]`);
const steps = (page: Page, id: string) =>
  page.locator(`.graph-card[data-node="${id}"] > .graph-card-head > button[aria-expanded]`);

/** The box of one element is within that of another. */
async function isWithin(page: Page, inner: string, outer: string): Promise<boolean> {
  const [small, large] = await Promise.all(
    [inner, outer].map((id) => page.locator(`.graph-card[data-node="${id}"]`).boundingBox()),
  );
  if (small === null || small === undefined || large === null || large === undefined) return false;
  const isAcross = small.x >= large.x && small.x + small.width <= large.x + large.width;
  return isAcross && small.y >= large.y && small.y + small.height <= large.y + large.height;
}

describe("a block", () => {
  it("opens inside its node in the graph, however deep, and follows what its steps do", async () => {
    const page = await visitDuringTest(site, { path: `/o/default/runs/${runId}`, width: 1440, height: 900 });
    await card(page, "prepare", "running").waitFor();
    await expect.poll(() => overlaps(page)).toEqual([]);
    await steps(page, "prepare").click();
    await card(page, "wait", "running").waitFor();
    // The cards around it make room.
    await expect.poll(() => overlaps(page)).toEqual([]);
    await expect.poll(() => isWithin(page, "look", "prepare")).toBe(true);
    await steps(page, "deep").click();
    await card(page, "fill", "completed").waitFor();
    await expect.poll(() => isWithin(page, "fill", "deep")).toBe(true);
    await expect.poll(() => isWithin(page, "deep", "prepare")).toBe(true);
    await expect.poll(() => overlaps(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "blocks-graph-light");
    await page.locator('.graph-card[data-node="look"]').click();
    await page.waitForURL(/\/runs\/[^?]+\?node=look/u);
    expect(page.url()).toContain(`${runId}_`);
  }, 180_000);

  it("is drawn with its steps in the graph of the workflow, and can be closed", async () => {
    const page = await visitDuringTest(site, {
      path: "/o/default/workflows/nested",
      width: 1440,
      height: 900,
      theme: "dark",
    });
    const step = (id: string) => page.locator(`.graph-card[data-node="${id}"]`);
    for (const id of ["look", "fill", "one", "after"]) await step(id).waitFor();
    await expect.poll(() => isWithin(page, "fill", "deep")).toBe(true);
    await expect.poll(() => overlaps(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "blocks-workflow-dark");
    await steps(page, "prepare").click();
    await step("look").waitFor({ state: "detached" });
  }, 180_000);

  it("opens below its node in the timeline, with instances and bars, on a narrow screen as well", async () => {
    const path = `/o/default/runs/${runId}?tab=timeline`;
    const page = await visitDuringTest(site, { path, width: 390, height: 844, theme: "dark" });
    await page.getByRole("button", { name: "Steps inside prepare" }).click();
    await page.getByRole("button", { name: "Steps inside deep" }).click();
    await page.getByRole("button", { name: "2 instances of each" }).click();
    await page.getByRole("button", { name: "Steps inside each[1]" }).click();
    const names = page.locator(".timeline-row .timeline-link");
    await expect
      .poll(async () => (await names.allTextContents()).sort())
      .toEqual(
        [
          "after",
          "deep",
          "dig",
          "each",
          "each[0]",
          "each[1]",
          "fill",
          "first",
          "look",
          "one",
          "prepare",
          "wait",
        ].sort(),
      );
    await expect
      .poll(() => page.locator(".timeline-row", { hasText: "dig" }).locator(".span").count())
      .toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "blocks-timeline-narrow-dark");
    await page.getByRole("tab", { name: "Graph" }).click();
    await card(page, "fill", "completed").waitFor();
    await screenshot(page, "blocks-graph-narrow-dark");
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.getByRole("button", { name: "Steps inside prepare" }).click();
    await expect.poll(async () => (await names.allTextContents()).includes("dig")).toBe(false);
  }, 180_000);

  it("shows in the graph and the timeline when one of its steps has ended", async () => {
    const page = await visitDuringTest(site, {
      path: `/o/default/runs/${runId}`,
      width: 1440,
      height: 900,
      theme: "dark",
    });
    await steps(page, "prepare").click();
    await card(page, "wait", "running").waitFor();
    await site.api.request("POST", `runs/${runId}/cancel`);
    await card(page, "wait", "cancelled").waitFor();
    await page.getByRole("button", { name: "Steps inside prepare" }).waitFor();
    await screenshot(page, "blocks-graph-dark");
    // At an earlier moment as well, although the events of the block are read only after it was opened.
    await expect.poll(async () => (await site.api.request("GET", `runs/${runId}`)).body.status).toBe("cancelled");
    const { lastEventId } = (await site.api.request("GET", `runs/${runId}/state`)).body;
    await page.goto(`${site.home}/runs/${runId}?at=${lastEventId}`);
    await steps(page, "prepare").click();
    await card(page, "look", "completed").waitFor();
    await card(page, "wait", "cancelled").waitFor();
    expect(site.complaints).toEqual([]);
  }, 180_000);
});
