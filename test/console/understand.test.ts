import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../law/source.ts";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const ORDER = `name: order
args:
  order: { type: integer, default: 4711 }
  customer: { type: string, default: Ada Lovelace }
steps:
  - { id: load, command: "Load order \${order}" }
  - { id: stock, command: "Check stock for \${load.stdout}" }
  - { id: charge, command: "Charge \${customer} for \${load.stdout}" }
  - { id: ship, command: "Ship \${charge.stdout}", depends_on: [stock] }
  - { id: letter, command: "Write to \${customer} about \${ship.stdout}" }
`;
const EACH = `name: each
steps:
  - { id: list, command: List them, outputs: { items: { type: array } } }
  - { id: one, command: "Do \${item}", for_each: list.outputs.items, tolerate: 4 }
  - { id: all, command: "Sum up \${one.outputs.items}" }
`;
const FAMILY = `name: family
steps:
  - { id: call, workflow_ref: each }
`;
const SUMMARY = `name: summary
args: { topic: { type: string, default: garden lamps } }
steps: [{ id: research, command: "Research \${topic}", outputs: { growth: { type: number } } }]
outputs: { growth: research.outputs.growth }
`;
const TALK = `name: talk
steps:
  - id: help
    agent: clerk
    command: Find out what the customer is **owed**.
    tools: [{ name: find_order, action: read }]
    turn: { max_rounds: 60, max_tool_calls: 60 }
`;
const HOSTILE = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> [click](javascript:alert(1)) ![x](http://127.0.0.1:9/x.png)`;
const ROUNDS = 40;
const rounds = Array.from({ length: ROUNDS }, (_, round) => ({
  text:
    round === 3
      ? HOSTILE
      : `## Step ${round}\n\nI look at **order ${round}**.\n\n| item | paid |\n|---|---|\n| lamp | ${round} |\n`,
  tokens: { input: 400, output: 30 },
  cost_usd: 0.01,
  ...(round === ROUNDS - 1 ? {} : { calls: [{ tool: "find_order", args: { id: round }, result: { paid: round } }] }),
}));
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "order/charge": { fail: "provider_auth", message: "HTTP 503: payment service unavailable" },
    "each/list": { outputs: { items: ["anna", "bert", "cleo", "dora"] }, stdout: "four" },
    "each/one[1]": { fail: "provider_auth" },
    "summary/research": { stdout: "It grew.", outputs: { growth: 0.04 } },
    "talk/help": { rounds },
  },
});

let site: Site;
beforeAll(async () => {
  site = await openSite(SCRIPT);
  for (const source of [ORDER, EACH, FAMILY, SUMMARY, TALK]) await site.api.save(source);
  const registry = readFileSync(join(REPOSITORY, "examples", "23-registry", "turn.yaml"), "utf8");
  const headers = { "content-type": "application/yaml" };
  expect((await site.api.request("POST", "apply", { body: registry, headers })).status).toBe(200);
}, 180_000);
afterAll(() => site?.close());

describe("a run that failed", () => {
  it("says why in words, opens the cause by itself, and counts apart what only followed", async () => {
    const runId = await site.api.run("order");
    const page = await visitDuringTest(site, { path: `/runs/${runId}`, width: 1440 });
    const why = page.getByRole("region", { name: "Why it stopped" });
    await why.getByText("The run failed because charge failed with provider auth").waitFor();
    await why.getByText("HTTP 503: payment service unavailable").waitFor();
    await why.getByText("2 nodes after it did not run").waitFor();
    await page.getByRole("complementary", { name: "Node charge" }).waitFor();
    expect(page.url()).toContain("node=charge");
    await page.locator(".run-values", { hasText: "order 4711 · customer Ada Lovelace" }).waitFor();
    await expect.poll(() => page.locator(".timeline-row.is-muted").allTextContents()).toHaveLength(2);
    await screenshot(page, "run-failed-1440");
    expect(await violations(page)).toEqual([]);

    await page.getByRole("button", { name: "Args" }).click();
    await page.getByRole("region", { name: "Args" }).getByText('"order": 4711').waitFor();
    // Closed by the person, it stays closed.
    await page.getByRole("button", { name: "Close the node" }).click();
    await page.getByRole("complementary", { name: "Node charge" }).waitFor({ state: "detached" });
    await why.getByRole("button", { name: "Show charge" }).click();
    await page.getByRole("complementary", { name: "Node charge" }).waitFor();

    const bars = page.locator(".timeline-row .span-dependency");
    await expect.poll(() => bars.count()).toBeGreaterThan(0);
    await page.getByLabel("Hide waits").check();
    await expect.poll(() => bars.count()).toBe(0);
    await expect.poll(() => page.locator(".timeline-legend").textContent()).not.toContain("Waiting");
  });

  it("has one log with levels and a search", async () => {
    const runId = await site.api.run("order");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?tab=log` });
    const log = page.getByRole("log", { name: "Log of the run" });
    await expect.poll(() => log.textContent()).toContain("Run failed");
    await choose(page, "Minimum level", "Errors");
    await expect.poll(() => log.locator(".log-line").count()).toBe(2);
    await choose(page, "Minimum level", "All levels");
    await page.getByRole("searchbox", { name: "Search the log" }).fill("payment service");
    await expect.poll(() => log.locator(".log-line").allTextContents()).toEqual([expect.stringContaining("charge")]);
    await log.getByRole("button", { name: /payment service/ }).click();
    await page.getByRole("complementary", { name: "Node charge" }).waitFor();
    await screenshot(page, "run-log");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("searchbox", { name: "Search the log" }).fill("nothing like it");
    await log.getByText("No results").waitFor();
  });
});

describe("a run that completed", () => {
  it("shows its args and outputs, and says what failed on the way", async () => {
    const good = await site.api.run("summary");
    const page = await visitDuringTest(site, { path: `/runs/${good}` });
    await page.locator(".run-values", { hasText: "topic garden lamps" }).waitFor();
    await page.locator(".run-values", { hasText: "growth 0.04" }).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Why it stopped" }).count()).toBe(0);

    await page.goto(`${site.url}/runs/${await site.api.run("each")}?node=one`);
    await page.getByText("The run completed, although 1 of the instances of one failed").waitFor();
    const filter = page.getByRole("group", { name: "Filter instances" });
    await filter.getByRole("button", { name: "Failed 1" }).click();
    await expect
      .poll(() => page.locator(".instances li").allTextContents())
      .toEqual([expect.stringMatching(/one\[1\].*provider_auth/)]);
    await page.getByRole("button", { name: "List", exact: true }).click();
    await page.getByRole("group", { name: "Filter nodes" }).getByRole("button", { name: "Failed 2" }).click();
    await expect.poll(() => page.getByRole("table", { name: "Nodes" }).getByRole("row").count()).toBe(3);
    await screenshot(page, "run-each-filtered");
    expect(await violations(page)).toEqual([]);
  });

  it("nests a child run in the timeline, with links to its nodes", async () => {
    const page = await visitDuringTest(site, { path: `/runs/${await site.api.run("family")}` });
    const timeline = page.getByRole("table", { name: "Timeline" });
    await timeline.getByRole("button", { name: "Steps inside call" }).click();
    await timeline.getByRole("button", { name: "all", exact: true }).waitFor();
    await screenshot(page, "run-child-nested");
    await timeline.getByRole("button", { name: "all", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "each" }).waitFor();
    expect(page.url()).toContain("node=all");
  });
});

describe("a conversation of 40 rounds", () => {
  it("has every role in order, draws what is near, renders Markdown and shows it raw; hostile text is inert", async () => {
    const runId = await site.api.run("talk");
    expect(await site.api.settle(runId)).toBe("completed");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=help`, width: 1440, height: 900 });
    await page.getByRole("tab", { name: "Conversation" }).click();
    await page.getByText("40 rounds, 39 calls, $0.40").waitFor();
    const talk = page.getByRole("list", { name: "Conversation" });
    // The instructions and the prompt are read apart from the rounds.
    await talk.getByRole("article", { name: "User message" }).waitFor();
    const heads = await talk.locator(".message-head h3").allTextContents();
    expect(heads.map((head) => head.trim().split(" ")[0]).slice(0, 4)).toEqual(["System", "User", "Assistant", "Tool"]);
    expect(heads).toHaveLength(2 + 40 + 39);
    await talk.getByRole("article", { name: "User message" }).locator("strong", { hasText: "owed" }).waitFor();
    await talk.getByRole("article", { name: "Round 0", exact: true }).getByRole("table").waitFor();
    await talk.getByText("400 in · 30 out · $0.01").first().waitFor();
    // What is far away has its head and its room, and no text yet.
    await expect.poll(() => talk.locator("[data-waiting]").count()).toBeGreaterThan(40);
    expect(await violations(page, ".node-panel")).toEqual([]);
    await screenshot(page, "conversation");

    const round = talk.getByRole("article", { name: "Round 3", exact: true });
    await round.scrollIntoViewIfNeeded();
    await round.getByText("<script>").waitFor();
    await expect.poll(() => talk.locator("img, script, a[href^='javascript'], iframe").count()).toBe(0);
    expect(await page.title()).toBe("talk · Sluice");
    await talk.getByRole("article", { name: "Round 39" }).scrollIntoViewIfNeeded();
    await talk.getByRole("article", { name: "Round 39" }).getByText("Step 39").waitFor();

    const raw = page.getByRole("button", { name: "Raw", exact: true });
    await raw.focus();
    await page.keyboard.press("Enter");
    await talk.getByText("## Step 39").waitFor();
    await page.getByRole("button", { name: "Layer 6 · node help" }).press("Enter");
    await page.getByRole("region", { name: "Instructions of node help" }).waitFor();

    await page.getByRole("button", { name: "Compare rounds" }).click();
    const dialog = page.getByRole("dialog");
    await choose(dialog, "Left", "Round 37");
    await expect.poll(() => dialog.locator("mark.diff-word-removed").allTextContents()).toContain("37");
    await expect.poll(() => dialog.locator("mark.diff-word-added").allTextContents()).toContain("39");
    expect(await violations(page, "dialog")).toEqual([]);
    await screenshot(page, "conversation-compare");
  });

  it("complains about nothing", () => {
    expect(site.complaints).toEqual([]);
  });
});
