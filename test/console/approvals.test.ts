import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { choose } from "./choose.ts";
import { openSite, screenshot, type Site, violations, type Visit } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const BUILD_MS = 180_000;

/** What a hostile author or model may put into what is shown. */
const HOSTILE = [
  "# Invoice",
  "<script>document.title = 'taken over'</script>",
  "<img src=x onerror=\"document.title = 'taken over'\">",
  "![pixel](https://tracker.invalid/pixel.png)",
  "![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
  "[pay](javascript:document.title='taken over')",
  "**bold** and `code`",
].join("\n");

const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const INVOICE = `name: invoice
args:
  who: { type: string, required: true }
  amount: { type: number, default: 5 }
steps:
  - { id: draft, command: "Draft for \${who}" }
  - id: pay
    name: "Pay \${who} \${amount}?"
    approval: required
    command: "pay \${receiver} \${amount}"
    action: read
    inputs: { receiver: "\${who}" }
    show:
      - { label: Letter, markdown: ${JSON.stringify(HOSTILE)} }
      - { label: Seal, image: ${JSON.stringify(PIXEL)} }
      - { label: Change, diff: ["a\\nb", "a\\nc"] }
    depends_on: [draft]
`;

const FORM = `name: form
steps:
  - id: decide
    name: How much?
    approval: required
    form:
      amount: { type: integer, label: Amount, min: 1, max: 10 }
      note: { type: string, required: false }
`;

let site: Site;
beforeAll(async () => {
  site = await openSite();
  for (const source of [INVOICE, FORM]) await site.api.save(source);
}, BUILD_MS);
afterAll(() => site?.close());
/** What a test leaves waiting is not for the next one. */
afterEach(async () => {
  for (let left = await waiting(); left.length > 0; left = await waiting()) {
    await Promise.all(left.map(({ runId }) => site.api.request("POST", `runs/${runId}/cancel`, { body: {} })));
  }
});

async function visit(visited: Visit): Promise<Page> {
  const page = await visitDuringTest(site, visited);
  await page.locator('[data-live="live"]').waitFor();
  return page;
}

const entries = (page: Page) => page.locator(".inbox-item");
const waiting = async (): Promise<readonly { id: string; runId: string; title: string }[]> =>
  (await site.api.request("GET", "approvals?status=pending&order=expiring&limit=100")).body.data;

describe("the detail of an approval", () => {
  it("shows everything a decision needs, and hostile Markdown as inert text", async () => {
    await site.api.run("invoice", { who: "Ann" });
    const asked: string[] = [];
    const page = await visitDuringTest(site);
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${site.url}/approvals`);
    const detail = page.getByRole("region", { name: "Pay Ann 5?" });
    for (const text of [
      "What exactly will happen",
      "pay Ann 5",
      "What each answer does",
      "Why it is asked",
      "read",
      "has cost",
      "What draft gave",
      "Any person or key with the permission governance:approve may answer.",
      "No one",
    ]) {
      await detail.getByText(text).first().waitFor();
    }
    await detail.getByRole("table", { name: "Args of the run" }).getByText("Ann").waitFor();
    const letter = detail.getByRole("region", { name: "Letter" });
    await letter.getByText("<script>").waitFor();
    await letter.locator("strong", { hasText: "bold" }).waitFor();
    await expect.poll(() => letter.locator("script, img, a, iframe, [onerror]").count()).toBe(0);
    await expect.poll(() => detail.getByRole("region", { name: "Seal" }).locator("img").count()).toBe(1);
    await detail.getByRole("region", { name: "Change" }).locator(".diff-added", { hasText: "c" }).waitFor();
    expect(await page.title()).not.toBe("taken over");
    expect(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith("data:"))).toEqual([]);
    await screenshot(page, "approval-detail");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("a");
    const dialog = page.getByRole("dialog", { name: "Approve: Pay Ann 5?" });
    await dialog.waitFor();
    expect((await waiting()).length).toBe(1);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect((await waiting()).length).toBe(1);
  });

  it("shows signs that would turn the reading direction or hide, on every screen it is on", async () => {
    const runId = await site.api.run("invoice", { who: "nnA\u202e \u200b" });
    const [held] = await waiting();
    await site.api.request("POST", `approvals/${held?.id}/comments`, { body: { text: "\u202eon" } });
    const page = await visit({ path: "/approvals" });
    const detail = page.getByRole("region", { name: "Pay nnA⟨U+202E⟩ ⟨U+200B⟩ 5?" });
    await detail.getByText("⟨U+202E⟩on").waitFor();
    await detail.getByRole("region", { name: "Letter" }).waitFor();
    for (const path of ["/approvals", "/", "/runs", `/runs/${runId}?node=pay`]) {
      await page.goto(`${site.url}${path}`);
      await page.getByText("nnA⟨U+202E⟩ ⟨U+200B⟩").first().waitFor();
      expect([path, await page.locator("body").textContent()]).toEqual([
        path,
        expect.not.stringMatching(/[\u202e\u200b]/),
      ]);
    }
  });

  it("changes a bound input, shows the difference, and sends exactly that", async () => {
    const runId = await site.api.run("invoice", { who: "Bob" });
    const page = await visit({ path: "/approvals" });
    await page.getByRole("button", { name: "Change and approve …" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByRole("button", { name: "Review changes" }).isDisabled()).toBe(true);
    await dialog.getByLabel("receiver").fill("Eve");
    await dialog.getByRole("button", { name: "Review changes" }).click();
    await dialog.locator(".diff-removed", { hasText: "Bob" }).waitFor();
    await dialog.locator(".diff-added", { hasText: "Eve" }).waitFor();
    await screenshot(page, "approval-edit");
    expect(await violations(page, "dialog")).toEqual([]);
    await dialog.getByRole("button", { name: "Approve changes" }).click();
    await page.locator(".toast-ok", { hasText: "Approved" }).waitFor();
    expect(await site.api.settle(runId)).toBe("completed");
    const node = (await site.api.request("GET", `runs/${runId}/nodes/pay`)).body;
    expect(node.request.inputs).toMatchObject({ receiver: "Eve" });
  });

  it("takes the form of a gate, with its problems beside the fields", async () => {
    const runId = await site.api.run("form");
    const page = await visit({ path: "/approvals" });
    await page.getByRole("heading", { name: "How much?" }).waitFor();
    await page.getByRole("button", { name: /^Approve/ }).click();
    const dialog = page.getByRole("dialog");
    const approve = dialog.getByRole("button", { name: "Approve", exact: true });
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Amount/).fill("11");
    await dialog.getByText("This must be at most 10.").waitFor();
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Amount/).fill("7");
    await approve.click();
    await expect.poll(() => site.api.settle(runId)).toBe("completed");
    const state = (await site.api.request("GET", `runs/${runId}/state`)).body;
    expect(state.nodeResults[0].outputs).toMatchObject({ amount: 7 });
  });

  it("has comments, and is assigned", async () => {
    await site.api.run("invoice", { who: "Kim" });
    const page = await visit({ path: "/approvals" });
    await page.getByLabel("Add a comment").fill("Why so much?\n<b>x</b>");
    await page.getByRole("button", { name: "Comment", exact: true }).click();
    await page.getByRole("region", { name: "Comments" }).getByText("<b>x</b>").waitFor();
    await page.getByRole("button", { name: "Assign to me" }).click();
    await page.locator(".facts").getByText("key:admin").waitFor();
    await entries(page).getByText("key:admin").waitFor();
    await choose(page, "Assigned to", "No one");
    await page.getByText("No results").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await entries(page).first().waitFor();
  });
});

describe("the inbox", () => {
  it("keeps the selection in its place, groups what asks the same, and wants the count typed", async () => {
    const people = ["Ann", "Bob", "Cleo"];
    const runs: string[] = [];
    for (const who of people) runs.push(await site.api.run("invoice", { who }));
    await site.api.run("form");
    const page = await visit({ path: "/approvals" });
    await page.getByRole("heading", { name: "3 approvals of invoice ask the same" }).waitFor();
    await expect.poll(() => entries(page).count()).toBe(2);
    const table = page.getByRole("region", { name: "What differs" });
    for (const who of people) await table.getByText(who, { exact: true }).waitFor();
    await expect.poll(() => table.getByRole("columnheader", { name: "amount" }).count()).toBe(0);
    await screenshot(page, "approval-group");
    expect(await violations(page)).toEqual([]);
    // One is left out, the others are answered together.
    await table.getByRole("checkbox").nth(2).uncheck();
    await page.getByRole("button", { name: "Approve 2 …" }).click();
    const dialog = page.getByRole("dialog");
    for (const runId of runs.slice(0, 2)) await dialog.getByText(runId).waitFor();
    const send = dialog.getByRole("button", { name: "Approve 2" });
    await expect.poll(() => send.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Type/).fill("2");
    await send.click();
    for (const runId of runs.slice(0, 2)) await expect.poll(() => site.api.settle(runId)).toBe("completed");
    // What is left of the group stands in its place, and is selected.
    await page.getByRole("heading", { name: "Pay Cleo 5?" }).waitFor();
    await expect.poll(() => entries(page).first().getAttribute("aria-current")).toBe("true");
    await page.keyboard.press("r");
    await dialog.getByLabel("Reason").fill("no");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await page.getByRole("heading", { name: "How much?" }).waitFor();
  });

  it("draws what is in sight of very many, reads on, and counts groups", async () => {
    const many = 130;
    const starts = Array.from({ length: many }, (_, index) =>
      // A value too long to be looked for in texts, so that no two of them are grouped.
      site.api.run("invoice", { who: `${index} `.repeat(200) }),
    );
    starts.push(...["Ann", "Bob", "Cleo"].map((who) => site.api.run("invoice", { who })));
    await Promise.all(starts);
    const page = await visit({ path: "/approvals" });
    await page.getByRole("tab", { name: new RegExp(`Waiting.*${many + 3}`) }).waitFor();
    await entries(page).nth(3).waitFor();
    expect(await entries(page).count()).toBeLessThan(60);
    // The group stands as one, whatever page its members are on.
    const list = page.getByRole("list", { name: "Approvals" });
    // The user scrolls to the end while the list is being read again: it reads on when it can, without another scroll.
    const held: Route[] = [];
    await page.route(/\/api\/v1\/approvals\?/, (route) => held.push(route), { times: 1 });
    await site.api.run("invoice", { who: "Ann" });
    await expect.poll(() => held.length).toBe(1);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await held[0]?.continue();
    await page.locator(".inbox-more").waitFor({ state: "detached" });
    const rowsToTheEnd = `(() => {
      const list = document.querySelector('.inbox-list');
      if (list === null) return 0;
      list.scrollTop = list.scrollHeight;
      if (document.querySelector('.inbox-more') !== null) return 0;
      return Math.round([...list.children].reduce((sum, row) => sum + row.getBoundingClientRect().height, 0) / 84);
    })()`;
    await expect.poll(() => page.evaluate<number>(rowsToTheEnd)).toBe(many + 1);
    expect(await list.locator(".inbox-item").count()).toBeLessThan(60);
    await page.getByLabel("Search approvals").fill("cleo");
    await expect.poll(() => entries(page).count()).toBe(1);
    await page.getByRole("heading", { name: "Pay Cleo 5?" }).waitFor();
  });

  it("shows comments and assignments of others without a reload", async () => {
    await site.api.run("invoice", { who: "Live" });
    const page = await visit({ path: "/approvals" });
    await page.getByRole("heading", { name: "Pay Live 5?" }).waitFor();
    const [waitingOne] = await waiting();
    await site.api.request("POST", `approvals/${waitingOne?.id}/comments`, { body: { text: "Looks fine to me" } });
    await page.getByText("Looks fine to me").waitFor();
    await site.api.request("PUT", `approvals/${waitingOne?.id}/assignee`, { body: { to: "user:ann@example.com" } });
    await entries(page).first().getByText("user:ann@example.com").waitFor();
  });

  it("finds by text and by what the caller may answer, and changes with live messages", async () => {
    const page = await visit({ path: "/approvals" });
    await page.getByText("No approval is waiting").waitFor();
    const runs = [await site.api.run("invoice", { who: "Zoe" }), await site.api.run("form")];
    await entries(page).nth(1).waitFor();
    await page.getByLabel("Search approvals").fill("zoe");
    await page.waitForURL(/q=zoe/);
    await expect.poll(() => entries(page).count()).toBe(1);
    await page.getByLabel("Only those I may answer").check();
    await page.getByRole("heading", { name: "Pay Zoe 5?" }).waitFor();
    for (const runId of runs) await site.api.request("POST", `runs/${runId}/cancel`, { body: {} });
    await page.getByText("No results").waitFor();
  });

  it("shows who may only look why it cannot answer", async () => {
    await site.api.run("invoice", { who: "Viewer" });
    const page = await visit({ path: "/approvals", key: await site.api.key("viewer") });
    await page.getByText("You cannot answer").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /^Approve/ }).count()).toBe(0);
    await page.keyboard.press("a");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("shows runs that wait for a person as such", async () => {
    const runId = await site.api.run("form");
    const page = await visit({ path: "/runs?waiting_for=person" });
    await page.locator(`tr[data-key="${runId}"]`).getByText("Waiting for a person").waitFor();
    await page.goto(site.url);
    await page.getByText("Yours to answer").waitFor();
    await page.locator(".tile", { hasText: "Yours to answer" }).getByText("1", { exact: true }).waitFor();
  });

  it("gives the browser nothing to complain about", () => {
    expect(site.complaints).toEqual([]);
  });
});
