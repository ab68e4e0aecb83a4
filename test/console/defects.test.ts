import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openContext } from "../browser/browser.ts";
import { openSite, type Site, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const FAILS = `name: fails
steps:
  - { id: first, command: Begin }
  - { id: second, command: Go on, depends_on: [first] }
`;

const ASK = `name: ask
steps:
  - { id: work, command: Do it, model: tide-1 }
  - { id: agree, approval: required, depends_on: [work] }
`;
const EACH = `name: each
steps:
  - { id: list, command: List them, outputs: { items: { type: array } } }
  - { id: one, command: "Do \${item}", for_each: list.outputs.items, tolerate: 4 }
`;
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "each/list": { outputs: { items: ["anna", "bert"] }, stdout: "two" },
    "each/one[1]": { fail: "provider_auth" },
    "fails/second": { fail: "provider_auth" },
  },
});

let site: Site;
beforeAll(async () => {
  site = await openSite(SCRIPT);
  for (const source of [ASK, EACH, FAILS]) await site.api.save(source);
}, 180_000);
afterAll(() => site?.close());

const visit = (visited: Visit) => visitDuringTest(site, { width: 1440, height: 900, ...visited });

describe("defects that are gone", () => {
  it("what was rejected is not green", async () => {
    const runId = await site.api.run("ask");
    const { body } = await site.api.request("GET", "approvals?status=pending");
    const decision = { decision: "reject", reason: "Too much" };
    const answer = await site.api.request("POST", `approvals/${body.data[0].id}/resolve`, { body: decision });
    expect(answer.status).toBe(200);
    await site.api.settle(runId);
    const page = await visit({ path: "/approvals" });
    await page.getByRole("tab", { name: "Answered" }).click();
    const badge = page.locator(".badge", { hasText: "Rejected" }).first();
    await badge.waitFor();
    await expect.poll(() => badge.getAttribute("class")).toContain("tone-bad");
  });

  it("the model a node asked for stands in its overview", async () => {
    const page = await visit({ path: `/runs/${await site.api.run("ask")}?node=work` });
    await page.getByRole("complementary", { name: "Node work" }).getByText("tide-1").waitFor();
  });

  it("a for_each with failures is not green, and its instances are not connected", async () => {
    const page = await visit({ path: `/runs/${await site.api.run("each")}` });
    const card = page.locator('.graph-card[data-node="one"]');
    await card.getByText("1 failed").waitFor();
    const edges = page.locator(".graph-edge");
    await edges.first().waitFor({ state: "attached" });
    const before = await edges.count();
    await card.locator("button").first().click();
    await page.locator('.graph-card[data-node="one[1]"]').waitFor();
    // Each instance is reached from the list, and none from another instance.
    expect(await edges.count()).toBeLessThanOrEqual(before + 2);
  });

  it("the switch between graph and list covers nothing of the list", async () => {
    const page = await visit({ path: `/runs/${await site.api.run("each")}` });
    await page.getByRole("button", { name: "List", exact: true }).click();
    const table = page.locator(".node-list table");
    await table.waitFor();
    const [above, below] = await Promise.all([
      page.getByRole("group", { name: "How nodes are shown" }).boundingBox(),
      table.boundingBox(),
    ]);
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  });

  it("a restart says the same wherever it is asked for", async () => {
    const page = await visit({ path: `/runs/${await site.api.run("fails")}?node=second` });
    const panel = page.getByRole("complementary", { name: "Node second" });
    const said: (string | null)[] = [];
    for (const button of [
      panel.getByRole("button", { name: "Restart from second" }),
      page.locator(".run-head").getByRole("button", { name: "Restart from second" }),
    ]) {
      await button.click();
      const dialog = page.getByRole("dialog", { name: "Restart from second" });
      said.push(await dialog.textContent());
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect(said[0]).toContain("second, what did not complete and everything that depends on it run again");
    expect(said[1]).toBe(said[0]);
  });

  it("the hint about the key names no folder that may be another one", async () => {
    const context = await openContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(site.url);
    const hint = page.locator("p", { hasText: "keeps its key in the file key of its data folder" });
    await hint.waitFor();
    expect(await hint.textContent()).not.toMatch(/cat |\.sluice\/key/);
  });
});
