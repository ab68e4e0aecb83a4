import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../law/source.ts";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const BUILD_MS = 180_000;
const read = (file: string): string => readFileSync(join(REPOSITORY, "examples", file), "utf8");

/** Its refund never reports, and the attempt after the first one finds it so. */
const LOST = `name: lost-order
steps:
  - id: pay
    agent: clerk
    command: Pay it back
    tools: [{ name: refund, action: financial }]
    timeout: 1
    retry: { attempts: 2, backoff_ms: 1, retry_on: [timeout] }
`;
const LOST_SCRIPT = `
  pay:
    rounds:
      - { text: I refund it., calls: [{ tool: refund, args: { amount: 20 }, hang: true }] }
      - { text: It is refunded. }
`;

let site: Site;
beforeAll(async () => {
  site = await openSite(`${read("23-agent-turn.script.yaml").trimEnd()}${LOST_SCRIPT}`);
  await site.api.save(LOST);
  const headers = { "content-type": "application/yaml" };
  const applied = await site.api.request("POST", "apply", { body: read("23-registry/turn.yaml"), headers });
  expect(applied.status).toBe(200);
  await site.api.save(read("23-agent-turn.lobsterX").replaceAll(/^#.*\n/gm, ""));
}, BUILD_MS);
afterAll(() => site?.close());

async function openTurn(page: Page): Promise<void> {
  await page.getByRole("tab", { name: "Conversation" }).click();
  await page.getByRole("article", { name: "Round 0", exact: true }).waitFor();
}

describe("a turn in the console", () => {
  it("shows the conversation with its verdicts, and takes an approval with changed args", async () => {
    const runId = await site.api.run("broken-order");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=help` });
    await page.getByRole("region", { name: "Approval" }).waitFor();
    await expect.poll(() => page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
    await openTurn(page);
    const lookup = page.getByRole("article", { name: "Call of find_order" });
    await lookup.getByText("Allowed").waitFor();
    await lookup
      .getByRole("region", { name: /^Result of find_order/ })
      .getByText("lamp")
      .waitFor();
    const refund = page.getByRole("article", { name: "Call of refund" });
    await refund.getByText("Held").waitFor();
    await screenshot(page, "turn-held");
    expect(await violations(page, ".node-panel")).toEqual([]);

    await refund.getByRole("link", { name: "Answer the approval" }).click();
    const detail = page.locator(".approval-detail");
    await detail.getByText("The tool refund is called with exactly these args. Its kind is financial.").waitFor();
    await detail.getByRole("table", { name: "Args of the call" }).getByText("900").waitFor();
    await detail.getByText("The lamp arrived broken, so I refund all of it.").waitFor();
    await detail.getByText("refunds over 100 need a person").waitFor();
    await screenshot(page, "turn-approval");
    expect(await violations(page, ".approval-detail")).toEqual([]);

    await page.getByRole("button", { name: "Change and approve …" }).click();
    const dialog = page.getByRole("dialog");
    const review = dialog.getByRole("button", { name: "Review changes" });
    await expect.poll(() => review.isDisabled()).toBe(true);
    await dialog.getByLabel("args").fill('{"order": 7, "amount": ');
    await dialog.getByText("This must be JSON.").waitFor();
    await dialog.getByLabel("args").fill('{"order": 7, "amount": "all"}');
    await review.click();
    await dialog.getByRole("button", { name: "Approve changes" }).click();
    await dialog
      .getByText(/amount/)
      .first()
      .waitFor();
    await dialog.locator(".problem").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Change and approve …" }).click();
    await dialog.getByLabel("args").fill('{"order": 7, "amount": 450}');
    await review.click();
    await dialog.locator(".diff-removed", { hasText: "900" }).waitFor();
    await dialog.locator(".diff-added", { hasText: "450" }).waitFor();
    await screenshot(page, "turn-change");
    expect(await violations(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Approve changes" }).click();
    await page.locator(".toast-ok", { hasText: "Approved" }).waitFor();
    expect(await site.api.settle(runId)).toBe("completed");
    const { body: turn } = await site.api.request("GET", `runs/${runId}/nodes/help/turn`);
    expect(turn.rounds[1].calls[0]).toMatchObject({
      args: { order: 7, amount: 450 },
      result: { value: { done: true } },
    });
  });

  it("makes a grant with an approval, says which, and lists where it came from", async () => {
    const runId = await site.api.run("broken-order");
    const { body } = await site.api.request("GET", "approvals?status=pending");
    const held = body.data.find((approval: { runId: string }) => approval.runId === runId);
    const page = await visitDuringTest(site, { path: `/approvals?id=${held.id}` });
    await page
      .locator(".approval-detail")
      .getByRole("button", { name: /^Approve …/ })
      .click();
    const dialog = page.getByRole("dialog");
    await choose(dialog, "Further calls of this tool in this run", "Need no approval for an hour");
    await dialog.getByText(/A grant will be made: calls of/).waitFor();
    await dialog.getByLabel("Only when").fill("tool.args.amount <= 900");
    await screenshot(page, "turn-grant");
    expect(await violations(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await page.locator(".toast-ok", { hasText: "Approved" }).waitFor();
    const { body: grants } = await site.api.request("GET", "grants");
    expect(grants.data).toMatchObject([{ run: runId, tool: "refund", approval: held.id }]);
    await page.goto(`${new URL(page.url()).origin}/settings/grants`);
    await page.getByRole("cell", { name: "tool.args.amount <= 900" }).waitFor();
    await page.getByRole("cell", { name: /^in \d+m$/ }).waitFor();
    await screenshot(page, "turn-grants");
    await page.getByRole("link", { name: grants.data[0].id }).click();
    await page.getByRole("button", { name: "Revoke" }).click();
    const asked = page.getByRole("dialog");
    await asked.getByText(/From the next call on a person is asked again/).waitFor();
    await asked.getByRole("textbox").first().fill(grants.data[0].id);
    await asked.getByRole("button", { name: "Revoke", exact: true }).click();
    await page.locator(".toast", { hasText: "Revoked grant" }).waitFor();
    expect((await site.api.request("GET", "grants")).body.data).toEqual([]);
  });

  it("branches after a round, with another result of its call", async () => {
    const runId = await site.api.run("broken-order");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=help` });
    await openTurn(page);
    await page.getByRole("button", { name: "Branch after round 0 …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/Round 0 of help is carried over/).waitFor();
    await choose(dialog, "What is to be different", "Result of find_order (call 0)");
    const start = dialog.getByRole("button", { name: "Start the branch" });
    await expect.poll(() => start.isDisabled()).toBe(true);
    const field = dialog.getByLabel("What the call returned instead");
    await field.fill("not json");
    await dialog.getByText("This must be JSON.").waitFor();
    await field.fill('{"item": "lamp", "price": 20}');
    await dialog.locator(".diff-added", { hasText: "20" }).waitFor();
    await screenshot(page, "turn-branch");
    expect(await violations(page, "dialog")).toEqual([]);
    await start.click();
    await page.locator(".toast-ok", { hasText: "help continues after round 0" }).waitFor();
    await openTurn(page);
    await page.getByText("carried over", { exact: false }).first().waitFor();
    const branched = new URL(page.url()).pathname.split("/").at(-1);
    expect(branched).not.toBe(runId);
    const { body: turn } = await site.api.request("GET", `runs/${branched}/nodes/help/turn`);
    expect(turn.rounds[0]).toMatchObject({ isCarried: true, costMicros: 0 });
    expect(turn.rounds[0].calls[0].result).toMatchObject({ value: { item: "lamp", price: 20 } });
    await screenshot(page, "turn-branched");
    expect(await violations(page, ".node-panel")).toEqual([]);
  });

  it.each([
    ["dark", 1280],
    ["light", 390],
  ] as const)("reads well in %s at %i pixels", async (theme, width) => {
    const runId = await site.api.run("broken-order");
    const { body } = await site.api.request("GET", "approvals?status=pending");
    const held = body.data.find((approval: { runId: string }) => approval.runId === runId);
    const answer = { decision: "reject", reason: "it was sold as broken" };
    await site.api.request("POST", `approvals/${held.id}/resolve`, { body: answer });
    expect(await site.api.settle(runId)).toBe("completed");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=help`, theme, width });
    if (width === 390) await page.getByRole("tab", { name: "Node", exact: true }).click();
    await openTurn(page);
    const refund = page.getByRole("article", { name: "Call of refund" });
    await refund.getByText("Denied").waitFor();
    await refund.getByText(/it was sold as broken/).waitFor();
    await refund.scrollIntoViewIfNeeded();
    await screenshot(page, `turn-denied-${theme}`);
    expect(await violations(page, ".node-panel")).toEqual([]);
    const isWide = "(document.querySelector('.node-panel .tab-panel'))";
    expect(await page.evaluate<boolean>(`${isWide}.scrollWidth > ${isWide}.clientWidth + 1`)).toBe(false);
  });

  it("asks what became of a call that never reported, and continues with the result that is given", async () => {
    const runId = await site.api.run("lost-order");
    const page = await visitDuringTest(site, { path: `/runs/${runId}?node=pay` });
    await openTurn(page);
    await page.getByText("Outcome unknown").waitFor();
    await page.getByRole("link", { name: "Answer the approval" }).click();
    await page.getByText(/may or may not have been called with these args/).waitFor();
    for (const name of ["Call again …", "It failed …"]) await page.getByRole("button", { name }).waitFor();
    await page.getByText("only a person can find out what became of it").waitFor();
    await screenshot(page, "turn-unknown");
    expect(await violations(page, ".approval-detail")).toEqual([]);
    await page.getByRole("button", { name: "It happened: give the result …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("result").fill('{"done": true}');
    await dialog.getByRole("button", { name: "Review changes" }).click();
    await dialog.getByRole("button", { name: "Approve changes" }).click();
    await page.locator(".toast-ok", { hasText: "Approved" }).waitFor();
    expect(await site.api.settle(runId)).toBe("completed");
    const { body: turn } = await site.api.request("GET", `runs/${runId}/nodes/pay/turn`);
    expect(turn.rounds[0].calls[0].result).toMatchObject({ value: { done: true }, by: expect.any(String) });
  });

  it("complains about nothing", () => {
    expect(site.complaints).toEqual([]);
  });
});
