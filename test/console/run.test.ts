import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { State } from "../../src/client/index.ts";
import { openSite, screenshot, type Site, violations, type Visit } from "./site.ts";

const REFUND = `name: refund
description: Pays back what is owed.
args:
  customer: { type: string, default: Ada }
steps:
  - { id: collect, command: "Collect what \${customer} wrote to us" }
  - { id: assess, command: "Decide what \${customer} is owed, from \${collect.stdout}" }
  - { id: check_names, command: "Check the names in \${collect.stdout}" }
  - { id: pay, command: "Pay \${customer} what \${assess.stdout} says", action: financial, estimated_cost: 0.01 }
  - { id: letter, command: "Write to \${customer} about \${pay.stdout}", depends_on: [check_names] }
`;
const BROKEN = `name: broken
steps:
  - { id: first, command: Begin }
  - { id: second, command: "Go on with \${first.stdout}" }
  - { id: third, command: "End with \${second.stdout}" }
`;
const ENDLESS = `name: endless
steps:
  - { id: wait, command: Wait }
  - { id: after, command: "Then \${wait.stdout}" }
`;
const HOSTILE = `name: hostile
steps:
  - { id: evil, command: Say something bad }
  - { id: next, command: "Use \${evil.stdout}" }
`;
const EACH = `name: each
steps:
  - { id: list, command: List them, outputs: { items: { type: array } } }
  - { id: one, command: "Do \${item}", for_each: list.outputs.items }
  - { id: all, command: "Sum up \${one.outputs.items}" }
`;
const PIECES = ["The customer ", "is owed ", "exactly ", "twelve ", "dollars ", "and ", "an ", "apology."];
const EVIL_TEXT = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script> \u001b[31mred\u001b[0m \u202egnp.exe ${"long ".repeat(12_000)}`;

const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "refund/assess": [
      {
        chunks: PIECES,
        chunk_ms: 150,
        stdout: PIECES.join(""),
        tokens: { input: 1_200, output: 340 },
        cost_usd: 0.0042,
      },
    ],
    "broken/second": [{ fail: "provider_auth" }, { fail: "provider_auth" }, { stdout: "mended" }],
    "endless/wait": [{ hang: true }],
    "hostile/evil": [{ chunks: [EVIL_TEXT.slice(0, 120)], stdout: EVIL_TEXT }],
    "each/list": [{ outputs: { items: ["a", "b", "c", "d"] }, stdout: "four" }],
  },
});

let site: Site;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  for (const source of [REFUND, BROKEN, ENDLESS, HOSTILE, EACH]) await site.api.save(source);
  await site.api.tell("PUT", "policies/people-pay", {
    body: {
      category: "guardrail",
      scope: "global",
      condition: "node.action == 'financial'",
      action: "require_approval",
      approvers: [{ who: "role:desk-lead" }],
      reason: "A person lets money go",
    },
  });
});
afterAll(() => site.close());

async function visit(wish: Visit): Promise<Page> {
  const page = await site.visit(wish);
  page.setDefaultTimeout(20_000);
  return page;
}

async function begin(workflow: string, args: object = {}): Promise<string> {
  const { status, body } = await site.api.tell("POST", "runs", { body: { workflow, args } });
  expect(status).toBe(201);
  return body.id;
}

async function stateOf(runId: string): Promise<State> {
  return (await site.api.tell("GET", `runs/${runId}/state`)).body;
}

/** What the page shows of a run, once it has folded as far as the server: the same statuses, whichever way it is looked at. */
async function expectProjection(page: Page, runId: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const state = await stateOf(runId);
        const shown = await page.evaluate(() => ({
          event: Number(document.querySelector<HTMLElement>(".run-page")?.dataset["runEvent"]),
          cards: [...document.querySelectorAll<HTMLElement>(".graph-card[data-node]")].map(({ dataset }) => [
            dataset["node"],
            dataset["status"],
          ]),
        }));
        const isSame = shown.event === state.lastEventId;
        const wanted = new Map(state.nodeResults.map(({ nodeId, status }) => [nodeId, status]));
        return isSame && shown.cards.length > 0 && shown.cards.every(([id = "", status]) => wanted.get(id) === status);
      },
      { timeout: 15_000 },
    )
    .toBe(true);
}

const card = (page: Page, id: string) => page.locator(`.graph-card[data-node="${id}"]`);
const statusOfRun = (page: Page) => page.locator(".run-facts .badge").first();

describe("the run page", () => {
  it("follows a run: streaming, held by a policy, approved in context, completed", async () => {
    const runId = await begin("refund");
    const page = await visit({ path: `/runs/${runId}` });
    await card(page, "assess").click();
    const said = page.getByRole("region", { name: "Streamed text" });
    await said.waitFor();
    await expect.poll(() => said.textContent()).toContain("The customer");
    await screenshot(page, "run-streaming-light");
    await page.locator('.graph-card[data-node="pay"][data-status="blocked"]').waitFor();
    await expectProjection(page, runId);
    await page.getByRole("button", { name: "1 approval waits" }).click();
    const approval = page.getByRole("region", { name: "Approval" });
    await approval.waitFor();
    expect(await approval.textContent()).toContain(
      "Pay Ada what The customer is owed exactly twelve dollars and an apology. says",
    );
    await expect.poll(() => page.locator(".gate-cell").count()).toBe(11);
    expect(await page.locator(".gate-cell.is-decisive").getAttribute("aria-label")).toBe("approval required: held");
    await screenshot(page, "run-held-light");
    expect(await violations(page)).toEqual([]);
    await approval.getByRole("button", { name: "Approve" }).click();
    await expect.poll(() => statusOfRun(page).textContent()).toBe("Completed");
    await expectProjection(page, runId);
    expect(page.url()).toContain("node=pay");
    await screenshot(page, "run-completed-light");
  });
});
