import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

/** What is asked is what comes back; a letter that is not polite is no letter. */
const LETTER = `name: letter
steps:
  - { id: facts, command: Facts about Ada }
  - id: write
    command: "Write a letter about \${facts.stdout}"
    success_criteria: ["contains(outputs.stdout, 'polite')"]
  - { id: post, command: "Post: \${write.stdout}" }
  - { id: count, command: Count, outputs: { words: integer } }
`;
const TALK = `name: talk
steps:
  - { id: say, command: Speak., tools: [look] }
`;
const SCRIPT = JSON.stringify({
  default: "echo",
  nodes: {
    "letter/count": { outputs: { words: 3 } },
    "talk/say": { rounds: [{ text: "I look.", calls: [{ tool: "look", args: {}, result: 1 }] }, { text: "Done." }] },
  },
});

let site: Site;
beforeAll(async () => {
  site = await openSite(SCRIPT);
  await site.api.request("PUT", "tools/look", { body: { name: "look", action: "read" } });
  for (const source of [LETTER, TALK]) await site.api.save(source);
});
afterAll(async () => {
  expect(site.complaints).toEqual([]);
  await site.close();
});

/** The run that has opened instead of another one. */
async function nextRun(page: Page, before: string): Promise<string> {
  await page.waitForURL((url) => url.pathname.includes("/runs/run_") && !url.pathname.includes(before));
  return /run_\w+/.exec(page.url())?.[0] ?? "";
}

describe("a run that is replayed with an edit", () => {
  it("asks the failed node something else, keeps the rest, and is compared with the run before", async () => {
    const failed = await site.api.run("letter");
    const page = await visitDuringTest(site, { path: `/runs/${failed}?node=write` });
    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByRole("button", { name: "Edit and replay …" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("What write is asked");
    const start = dialog.getByRole("button", { name: "Start the replay" });
    await expect.poll(() => field.inputValue()).toBe("Write a letter about Facts about Ada");
    await expect.poll(() => start.isDisabled()).toBe(true);
    await field.fill(" ");
    await dialog.getByText("A node cannot be asked nothing.").waitFor();
    await expect.poll(() => start.isDisabled()).toBe(true);
    await field.fill("Write a polite letter about Ada");
    await dialog.locator(".diff-added", { hasText: "polite" }).waitFor();
    await dialog.getByText("In the new run: carried over: count, facts; runs again: write, post.").waitFor();
    await screenshot(page, "replay-prompt");
    expect(await violations(page, "dialog")).toEqual([]);
    await start.click();
    await page.locator(".toast-ok", { hasText: "A replay has started" }).waitFor();
    const next = await nextRun(page, failed);
    expect(await site.api.settle(next)).toBe("completed");

    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByText("admin has edited this prompt.").waitFor();
    await page.getByRole("region", { name: "Message" }).getByText("Write a polite letter about Ada").waitFor();
    await page.getByRole("link", { name: "Compare with the run before" }).click();
    const table = page.getByRole("table", { name: "Nodes of both runs" });
    await table.locator('tr[data-key="write"]').getByText("other prompt").waitFor();
    await table.locator('tr[data-key="write"]').focus();
    await page.keyboard.press("Enter");
    const prompts = page.getByRole("region", { name: "Prompt of write in both runs" });
    await prompts.getByText("polite").waitFor();
    await screenshot(page, "replay-compare");
    expect(await violations(page, "main")).toEqual([]);
  });

  it("takes another result for that of a node, and says what does not fit", async () => {
    const run = await site.api.run("letter");
    const page = await visitDuringTest(site, { path: `/runs/${run}?node=count` });
    await page.getByRole("tab", { name: "Result" }).click();
    await page.getByRole("button", { name: "Edit and replay …" }).click();
    const dialog = page.getByRole("dialog");
    const field = dialog.getByLabel("What count returned");
    expect(JSON.parse(await field.inputValue())).toEqual({ words: 3 });
    await field.fill("three");
    await dialog.getByText("This must be a JSON object.").waitFor();
    await field.fill('{"words": "three"}');
    const start = dialog.getByRole("button", { name: "Start the replay" });
    await start.click();
    await dialog
      .getByText(/outputs\.count\.words/)
      .first()
      .waitFor();
    await field.fill('{"words": 30}');
    await dialog.getByText(/carried over: count, facts/).waitFor();
    await screenshot(page, "replay-result");
    expect(await violations(page, "dialog")).toEqual([]);
    await start.click();
    const next = await nextRun(page, run);
    const { body } = await site.api.request("GET", `runs/${next}/nodes/count`);
    expect(body).toMatchObject({ node: { outputs: { words: 30 } }, resultBy: "admin" });
  });

  it("goes on after a round, asked something else", async () => {
    const run = await site.api.run("talk");
    const page = await visitDuringTest(site, { path: `/runs/${run}?node=say` });
    await page.getByRole("tab", { name: "Conversation" }).click();
    await page
      .getByRole("article", { name: "User message" })
      .getByRole("button", { name: "Edit and replay …" })
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("What say is asked").fill("Speak louder.");
    await choose(dialog, "Continue from", "After round 0");
    await dialog.getByText("Rounds up to 0 of say are carried over").waitFor();
    await dialog.getByRole("button", { name: "Start the replay" }).click();
    const next = await nextRun(page, run);
    expect(await site.api.settle(next)).toBe("completed");
    const { body } = await site.api.request("GET", `runs/${next}/nodes/say`);
    expect(body).toMatchObject({ request: { message: "Speak louder." }, promptBy: "admin" });
  });

  it("is not offered to those who may only read", async () => {
    const run = await site.api.run("letter");
    const page = await visitDuringTest(site, { path: `/runs/${run}?node=write`, key: await site.api.key("viewer") });
    await page.getByRole("tab", { name: "Prompt" }).click();
    await page.getByRole("region", { name: "Message" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Edit and replay …" }).count()).toBe(0);
  });
});
