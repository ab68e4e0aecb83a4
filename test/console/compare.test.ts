import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const BOOK = `name: book
args:
  tone: { type: string, default: plain }
steps:
  - { id: outline, agent: writer, command: "Outline it, \${tone}" }
  - { id: chapter, command: "Write \${outline.stdout}" }
  - { id: cover, command: Draw a cover, depends_on: [outline], condition: "tone == 'bold'" }
`;
const LETTER = `name: letter
steps:
  - { id: write, command: Write it }
`;
const NEEDY = `format: lens-graph/v1
name: needy
nodes:
  - { id: summarise, config: { template_body: "Summarise [[text]] for [[reader]]." } }
edges: []
`;
const TEAMED = `name: teamed
steps:
  - { id: translate, command: Translate it, tools: [translate] }
`;
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "book/outline": [{ stdout: "Three parts.\nAnd an end.", cost_usd: 0.05 }],
    "book/chapter": [{ stdout: "Once upon a time.", cost_usd: 0.2 }],
  },
});

let site: Site;
let failed: string;
let restarted: string;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  for (const source of [BOOK, LETTER, NEEDY, TEAMED]) await site.api.save(source);
  failed = await site.api.run("book");
  await site.api.request("PUT", "agents/writer", { body: { trust_level: 6, autonomy: "bounded" } });
  const { body } = await site.api.request("POST", `runs/${failed}/restart`, { body: {} });
  restarted = body.id;
  await site.api.settle(restarted);
});
afterAll(() => site.close());

const visit = (visited: Visit): Promise<Page> => visitDuringTest(site, visited);

const nodes = (page: Page) => page.getByRole("table", { name: "Nodes of both runs" });

describe("two runs beside each other", () => {
  it("are chosen from the runs of a workflow, the older one on the left", async () => {
    const page = await visit({ path: "/workflows/book/runs" });
    await page.getByLabel(`Select ${restarted}`).check();
    const compare = page.getByRole("button", { name: "Compare" });
    await expect.poll(() => compare.isDisabled()).toBe(true);
    await page.getByLabel(`Select ${failed}`).check();
    await compare.click();
    await page.waitForURL(`${site.home}/runs/${failed}/compare/${restarted}`);
    await page.getByText(/of 3 nodes differ/).waitFor();
  });

  it("are a restart and its origin when a run page is asked, compared node by node, and shared as an address", async () => {
    const page = await visit({ path: `/runs/${restarted}` });
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Compare with its origin" }).click();
    await page.waitForURL(`${site.home}/runs/${failed}/compare/${restarted}`);
    const row = nodes(page).locator('tr[data-key="outline"]');
    await row.locator('[data-status="failed"]').first().waitFor();
    await row.locator('[data-status="completed"]').first().waitFor();
    await row.focus();
    await page.keyboard.press("Enter");
    const result = page.getByRole("region", { name: "Result of outline in both runs" });
    await result.getByText("And an end.").waitFor();
    await result.getByText(/agent_disabled/).waitFor();
    const address = page.url();
    expect(address).toContain("node=outline");
    await page.goto(address);
    await result.waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "compare-light");
    await page.getByRole("button", { name: "Dark theme" }).click();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "compare-dark");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "compare-narrow");
    await page.getByRole("button", { name: "Swap sides" }).click();
    await page.waitForURL(`${site.home}/runs/${restarted}/compare/${failed}`);
  });

  it("are any two, with other args, and follow a run that has not ended", async () => {
    const bold = await site.api.run("book", { tone: "bold" });
    const page = await visit({ path: `/runs/${failed}/compare` });
    await page.getByRole("table", { name: "Other runs of book" }).locator(`tr[data-key="${bold}"]`).press("Enter");
    await page.getByRole("heading", { name: "Other args" }).waitFor();
    await page.getByText('"tone": "bold"').waitFor();
    await page.getByLabel("Show all nodes").check();
    expect(page.url()).toContain("show=all");
    const alone = await site.api.run("letter");
    await page.goto(`${site.url}/runs/${alone}/compare`);
    await page.getByText("There is nothing to compare with yet").waitFor();
    await page.goto(`${site.url}/runs/${alone}/compare/${bold}?show=all`);
    await page.getByText("These runs are of different workflows").waitFor();
    await page.getByText("only on the left").waitFor();
    await page.goto(`${site.url}/runs/${alone}/compare/run_nothing`);
    await page.getByText("unknown_run").waitFor();
  });
});

describe("a node that waits for a person", () => {
  it("is given the values it lacks", async () => {
    const runId = await site.api.run("needy");
    const page = await visit({ path: `/runs/${runId}?node=summarise` });
    const form = page.getByRole("form", { name: "Unblock summarise" });
    await form.getByLabel("text").fill("a long letter");
    await form.getByLabel("reader").fill("Ada");
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "unblock-values");
    await form.getByRole("button", { name: "Continue with these values" }).click();
    await page.locator('.run-facts [data-status="completed"]').waitFor();
    expect(await site.api.settle(runId)).toBe("completed");
  });

  it("is given to an agent when no member of the team may take it", async () => {
    for (const agent of ["senior", "linguist"]) {
      await site.api.request("PUT", `agents/${agent}`, { body: { trust_level: 6, autonomy: "bounded" } });
    }
    // No active member has the tool; a person may call in one who has it, and no other.
    const members = [
      { agent: "senior", tool_profile: { allow_tools: ["mail"] } },
      { agent: "linguist", is_active: false, tool_profile: { allow_tools: ["translate"] } },
    ];
    await site.api.request("PUT", "teams/desk", { body: { members } });
    const { body } = await site.api.request("POST", "runs", { body: { workflow: "teamed", team: "desk" } });
    await site.api.settle(body.id);
    const page = await visit({ path: "/approvals" });
    await page.getByRole("link", { name: "Give what it needs" }).click();
    await page.waitForURL(`${site.home}/runs/${body.id}?node=translate`);
    const form = page.getByRole("form", { name: "Unblock translate" });
    await choose(form, /^Agent/, /^linguist/);
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "unblock-agent");
    await form.getByRole("button", { name: "Assign it" }).click();
    await page.locator('.run-facts [data-status="completed"]').waitFor();
    expect(await site.api.settle(body.id)).toBe("completed");
  });

  it("gives the browser nothing to complain about", () => {
    expect(site.complaints).toEqual([]);
    expect(site.api.troubles).toEqual([]);
  });
});
