import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { allowPages, type PageServer } from "../browser/page.ts";
import { answerStatus, hang, type ProviderServer, say, startOpenAiServer, TEST_KEY } from "../providers/index.ts";
import { writeAll } from "./paste.ts";
import { openSite, PEOPLE_PAY, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const REVIEW = `name: review
description: Collects, checks and reports.
args:
  topic: { type: string, default: tides }
phases: [gather, judge]
steps:
  - { id: collect, phase: gather, command: "Collect facts about \${topic}" }
  - { id: check_dates, phase: judge, command: "Check the dates in \${collect.stdout}" }
  - { id: check_names, phase: judge, command: "Check the names in \${collect.stdout}" }
  - id: report
    phase: judge
    command: Report what was found
    depends_on: [check_dates, check_names]
`;
const CHANGED = REVIEW.replace("Report what was found", "Report what was found, in one page");
/** Runs in the page: until it has been drawn for longer than the editor keeps an offer from being taken. */
const PICTURES_LATER = `new Promise((resolve) => {
  const from = performance.now();
  const look = () => (performance.now() - from > 200 ? resolve() : requestAnimationFrame(look));
  look();
})`;

let site: Site;
let model: ProviderServer;
let forPages: PageServer;

beforeAll(async () => {
  model = await startOpenAiServer(({ body }) => {
    if (body["model"] === "locked-1") return answerStatus(401, "no such key");
    if (body["model"] === "missing-1") return answerStatus(404, "no such model");
    // Says how it begins, and then nothing any more.
    if (body["model"] === "slow-1") return hang("The tide ", "comes in ");
    return say(`Heard: ${JSON.stringify(body["messages"])}`);
  });
  forPages = await allowPages(model.baseUrl);
  site = await openSite(undefined, [new URL(forPages.url).origin]);
  await site.api.save(REVIEW);
  await site.api.save(CHANGED);
  await site.api.run("review");
  await site.api.request("PUT", "policies/people-pay", {
    body: {
      ...PEOPLE_PAY,
      approvers: [{ who: "role:desk-lead" }],
      reason: "A person lets money go",
    },
  });
  await site.api.request("PUT", "policies/no-writing", {
    body: {
      category: "guardrail",
      scope: "global",
      condition: "node.id == 'leak'",
      action: "block",
      reason: "Nothing leaves the house",
    },
  });
});
afterAll(async () => {
  await site.close();
  await forPages.close();
  await model.close();
});

const visit = (visited: Visit) => visitDuringTest(site, visited);

/** Puts the cursor into the text. */
async function editorOf(page: Page) {
  const editor = page.locator(".code-editor .cm-content");
  await editor.waitFor();
  await editor.click();
  return editor;
}

describe("the workflow page", () => {
  it("authors a workflow: mistake, line, fix, graph, simulate, save, launch", async () => {
    const page = await visit({ path: "/workflows/-?template=steps" });
    await page.getByRole("heading", { level: 1, name: "New workflow" }).waitFor();
    await writeAll(
      page,
      "name: payout\nsteps:\n  - id: assess\n    command: Assess it\n  - id: pay\n    comand: Pay it\n    depends_on: [asses]\n",
    );
    const problems = page.getByRole("region", { name: "Problems" });
    const typo = problems.getByRole("button", { name: /comand/ });
    await typo.waitFor();
    await problems.getByText('"asses"').first().waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Save version" }).isDisabled()).toBe(true);
    await screenshot(page, "workflow-problems-light");
    await typo.click();
    await page.locator(".cm-activeLine", { hasText: "comand" }).waitFor();
    await writeAll(
      page,
      "name: payout\nsteps:\n  - id: assess\n    command: Assess it\n  - id: pay\n    command: Pay it\n    action: financial\n    depends_on: [assess]\n  - id: leak\n    command: Send it away\n    on_failure: skip\n",
    );
    await problems.getByText("No problems").waitFor();
    await page.getByRole("group", { name: /Graph of payout: 3 nodes/ }).waitFor();
    await page.getByRole("button", { name: "List" }).click();
    await page.getByRole("table", { name: "Nodes of payout" }).getByText("leak").waitFor();
    await page.getByRole("button", { name: "Graph", exact: true }).click();

    await page.getByRole("tab", { name: "Simulate" }).click();
    await expect.poll(() => page.getByRole("button", { name: "Execute" }).isDisabled()).toBe(true);
    await page.getByText("Choose who pays first.").waitFor();
    await page.getByLabel(/^The server: a real run/).check();
    await expect.poll(() => page.getByRole("button", { name: "Launch on the server" }).isDisabled()).toBe(true);
    await page.getByLabel(/^No one/).check();
    await page.getByRole("button", { name: "Simulate", exact: true }).click();
    await page.getByRole("region", { name: "Result of the simulation" }).getByText("Completed").first().waitFor();
    await page.getByLabel(/On the server/).check();
    await page.getByRole("button", { name: "Simulate", exact: true }).click();
    const forecast = page.getByRole("region", { name: "Forecast" });
    await forecast.getByText("Nothing leaves the house").first().waitFor();
    await forecast.getByText("role:desk-lead").first().waitFor();
    await screenshot(page, "workflow-simulate-light");

    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByRole("heading", { level: 1, name: "payout" }).waitFor();
    await page.getByText("version 1").first().waitFor();
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog", { name: "Launch payout" });
    await dialog.getByText("The launch gates allow it").waitFor();
    await dialog.getByText("Nothing leaves the house").first().waitFor();
    await screenshot(page, "workflow-launch-light");
    await dialog.getByRole("button", { name: "Start run" }).click();
    await page.waitForURL(/\/runs\/run_/);
  });

  it("can be gone through with the keyboard alone", async () => {
    const page = await visit({ path: "/workflows/review" });
    await page.getByRole("tab", { name: "Graph" }).waitFor();
    await page.keyboard.press("e");
    await page.locator(".code-editor .cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  - id: gle");
    await page.keyboard.press("Enter");
    await page.keyboard.type("comm");
    await page.getByRole("option", { name: /command/ }).waitFor();
    // What has only just appeared is not yet chosen by Enter, so that nothing is taken unseen.
    await page.evaluate(PICTURES_LATER);
    await page.keyboard.press("Enter");
    await page.locator(".cm-activeLine", { hasText: "command:" }).waitFor();
    await page.keyboard.type("Look twice");
    await page.getByRole("tab", { name: "Editor •" }).waitFor();
    await page.getByText("No problems").waitFor();
    // Letters typed here are text and no shortcuts: nothing was opened by the l of gle.
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+s");
    await page.getByText("Saved review, version 3.").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    const focused = await page.evaluate("document.activeElement?.className ?? ''");
    expect(focused).not.toContain("code-editor");
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press("l");
    await page.getByRole("dialog", { name: "Launch review" }).getByText("The launch gates allow it").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("asks before unsaved work is left", async () => {
    const page = await visit({ path: "/workflows/review?tab=editor" });
    await editorOf(page);
    await page.keyboard.type("# more");
    await page.getByRole("tab", { name: "Editor •" }).waitFor();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await page.getByRole("tab", { name: "Runs" }).click();
    await page.getByRole("table", { name: "Runs of review" }).waitFor();
    await expect.poll(() => question.count()).toBe(0);
    await page.getByRole("link", { name: "Workflows" }).first().click();
    await question.getByText("The changes of review are not saved.").waitFor();
    await screenshot(page, "workflow-leave-light");
    await question.getByRole("button", { name: "Stay here" }).click();
    expect(page.url()).toContain("/workflows/review");
    await page.getByRole("link", { name: "Workflows" }).first().click();
    await page.keyboard.press("Escape");
    await question.waitFor({ state: "detached" });
    expect(page.url()).toContain("/workflows/review");
    await page.getByRole("tab", { name: "Editor •" }).click();
    await page.getByRole("button", { name: "Discard" }).click();
    await editorOf(page);
    await page.keyboard.type("# again");
    await page.getByRole("tab", { name: "Editor •" }).waitFor();
    await page.getByRole("link", { name: "Workflows" }).first().click();
    await question.getByRole("button", { name: "Leave", exact: true }).click();
    await page.waitForURL(/\/workflows$/);
  });

  it("compares versions, and puts an old one into the editor", async () => {
    const page = await visit({ path: "/workflows/review?tab=versions&before=1&after=2" });
    await page.getByRole("region", { name: "Differences" }).getByText("in one page").waitFor();
    await page.getByText("1 added, 1 removed").waitFor();
    await screenshot(page, "workflow-versions-light");
    await page.getByRole("button", { name: "Edit version 2" }).click();
    await page.locator(".code-editor .cm-content").getByText("in one page").waitFor();
  });

  it("shows what is missing", async () => {
    const page = await visit({ path: "/workflows/missing" });
    await page.getByText('There is no workflow "missing"').waitFor();
    await page.goto(`${site.url}/workflows/review?tab=schedules`);
    await page.getByText("It has no schedule").waitFor();
  });

  it.each(["light", "dark"] as const)("is accessible and looks right in %s", async (theme) => {
    const page = await visit({ theme, path: "/workflows/review" });
    await page
      .getByRole("group", { name: /Graph of review: \d nodes/ })
      .locator('.graph-card[data-node="collect"]')
      .waitFor();
    await screenshot(page, `workflow-graph-${theme}`);
    expect(await violations(page)).toEqual([]);
    await page.getByRole("tab", { name: "Editor" }).click();
    await page.locator(".code-editor .cm-key").first().waitFor();
    await page.getByText("No problems").waitFor();
    await screenshot(page, `workflow-editor-${theme}`);
    expect(await violations(page)).toEqual([]);
    for (const tab of ["Versions", "Runs", "Schedules"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page
        .getByRole("tabpanel")
        .getByRole(tab === "Schedules" ? "link" : "table")
        .first()
        .waitFor();
      expect(await violations(page)).toEqual([]);
    }
    await page.goto(`${site.url}/workflows/review?launch=1`);
    await page.getByRole("dialog").getByText("The launch gates allow it").waitFor();
    expect(await violations(page)).toEqual([]);
    const narrow = await visit({ theme, width: 390, height: 844, path: "/workflows/review?tab=editor" });
    await narrow.locator(".code-editor .cm-key").first().waitFor();
    await narrow.getByText("No problems").waitFor();
    await screenshot(narrow, `workflow-editor-narrow-${theme}`);
    const width = await narrow.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
  });

  it("runs in the page with a model of one's own, whose key never reaches our server", async () => {
    const page = await visit({ path: "/workflows/review?tab=editor" });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(site.url))
        requests.push(`${JSON.stringify(request.headers())} ${request.postData()}`);
    });
    await page.getByRole("tab", { name: "Simulate" }).click();
    await page.getByLabel(/with a model of yours/).check();
    const start = page.getByRole("button", { name: "Run in this page" });
    await expect.poll(() => start.isDisabled()).toBe(true);
    await page.getByLabel(/^Model/).fill("tide-1");
    await page.getByRole("textbox", { name: "Key" }).fill(TEST_KEY);
    await start.click();
    const result = page.getByRole("region", { name: "Result of the simulation" });
    await result.getByText("Completed").first().waitFor();
    await result.getByText("Report what was found").first().waitFor();
    await screenshot(page, "workflow-own-model-light");
    expect(await violations(page)).toEqual([]);
    expect(model.calls.length).toBe(await result.locator("tbody tr").count());
    expect(model.calls.map(({ headers }) => headers.authorization)).toEqual(
      model.calls.map(() => `Bearer ${TEST_KEY}`),
    );
    expect(requests.join()).not.toContain(TEST_KEY);
    await page.reload();
    await page.getByRole("tab", { name: "Simulate" }).click();
    await page.getByLabel(/with a model of yours/).check();
    await expect.poll(() => page.getByRole("textbox", { name: "Key" }).inputValue()).toBe("");
  });

  it("shows what a run in the page does while it does it, and stops it", async () => {
    const page = await visit({ theme: "dark", path: "/workflows/review?tab=editor" });
    await page.getByRole("tab", { name: "Simulate" }).click();
    await page.getByLabel(/with a model of yours/).check();
    await page.getByLabel(/^Model/).fill("slow-1");
    await page.getByRole("textbox", { name: "Key" }).fill(TEST_KEY);
    await page.getByRole("button", { name: "Run in this page" }).click();
    const result = page.getByRole("region", { name: "Result of the simulation" });
    const collect = result.locator('.graph-card[data-node="collect"]');
    await result.getByText("The tide comes in").first().waitFor();
    await expect.poll(() => collect.getAttribute("data-status")).toMatch(/running|streaming/);
    await expect
      .poll(() => result.locator('.graph-card[data-node="report"]').getAttribute("data-status"))
      .toBe("awaiting_dependency");
    await collect.click();
    await result.getByRole("region", { name: "Answer of collect" }).getByText("The tide comes in").waitFor();
    // Looking at the plan meanwhile does not end the run.
    await page.getByRole("tab", { name: "Graph" }).nth(1).click();
    await page.getByRole("tab", { name: "Simulate" }).click();
    await result.getByRole("button", { name: "List", exact: true }).click();
    await result.getByRole("table", { name: "Nodes", exact: true }).getByText("report").waitFor();
    await result.getByRole("button", { name: "Graph", exact: true }).click();
    await screenshot(page, "workflow-own-model-streaming-dark");
    expect(await violations(page, ".workflow-editor-side")).toEqual([]);
    await result.getByRole("button", { name: "Stop" }).click();
    await result.getByRole("status").first().getByText("Cancelled").waitFor();
    await expect.poll(() => result.getByRole("button", { name: "Stop" }).count()).toBe(0);
    await collect.and(page.locator('[data-status="cancelled"]')).waitFor();
  });

  it("explains what to do about a service that refuses, and about one that cannot be reached", async () => {
    const page = await visit({ path: "/workflows/review?tab=editor", width: 390, height: 844 });
    await page.getByRole("tab", { name: "Simulate" }).click();
    await page.getByLabel(/with a model of yours/).check();
    await page.getByLabel(/^Model/).fill("locked-1");
    const result = page.getByRole("region", { name: "Result of the simulation" });
    const run = page.getByRole("button", { name: "Run in this page" });
    await run.click();
    await result.getByRole("alert").getByText("Check the key above").waitFor();
    await screenshot(page, "workflow-own-model-refused-narrow");
    expect(await violations(page, ".workflow-editor-side")).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    await page.getByLabel(/^Model/).fill("missing-1");
    await run.click();
    await result.getByRole("alert").getByText("Check the path, and the name of the model").waitFor();
    await page.route("**/chat/completions", (route) => route.abort());
    await run.click();
    await result.getByRole("alert").getByText(`allow calls from pages of ${site.url}`).waitFor();
  });

  it("gives the browser nothing to complain about", () => {
    expect(site.complaints).toEqual([]);
  });
});
