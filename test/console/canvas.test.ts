import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createWorker, step } from "../../src/worker/index.ts";
import { ADMIN } from "../api/fixture.ts";
import { choose } from "./choose.ts";
import { writeAll } from "./paste.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const SCRIPT = `default: echo
nodes:
  refund-desk/fetch: [{ outputs: { orders: [{ id: A-1, reason: broken }] } }]
  refund-desk/ask: [{ outputs: { is_refund: true } }]
`;
const WRITTEN = `# Looks at orders, once a day.
name: daily # do not rename
args:
  url: { type: string, default: "https://orders.example.org" }   # a staging address works too

steps:
  # All of them, newest first.
  - id: fetch
    provider: http
    command: GET \${url}

  # One sentence each
  - id: sum_up   # cheap model
    command: |
      Sum up, in one sentence:
      \${fetch.stdout}
    timeout: 5m # it is slow on Mondays
`;

let site: Site;

beforeAll(async () => {
  site = await openSite(SCRIPT);
  await site.api.save(WRITTEN);
});
afterAll(() => site.close());

const cardOf = (page: Page, key: string) => page.locator(`.graph-card[data-key="${key}"]`);
/** The head of a card: its middle may hold other cards. */
const select = (page: Page, key: string) => cardOf(page, key).locator(".graph-card-name").first().click();
const paletteOf = (page: Page) => page.getByRole("navigation", { name: "Kinds of steps" });
const take = (page: Page, label: string) => paletteOf(page).getByRole("button", { name: label, exact: true }).click();
const panelOf = (page: Page) => page.locator(".draw-panel");
const fill = (page: Page, label: string, text: string) => panelOf(page).getByLabel(label, { exact: true }).fill(text);
const insert = async (page: Page, label: string, value: RegExp): Promise<void> => {
  await page.getByRole("button", { name: `Insert a value into ${label}` }).click();
  await page.getByRole("option", { name: value }).click();
};
/** The newest version, as it was saved. */
const savedText = async (name: string, version: number): Promise<string> => {
  const { body } = await site.api.request("GET", `workflows/${name}/versions/${version}`);
  return String(body.source);
};

/** Fetch → for each → agent → choose → approval → function, by the palette and forms. */
async function draw(page: Page): Promise<void> {
  await page.getByLabel("Name", { exact: true }).fill("refund-desk");
  await take(page, "HTTP request");
  await cardOf(page, "fetch").waitFor();
  await fill(page, "Request", "GET orders");
  await page.getByRole("button", { name: "Add output" }).click();
  await page.getByLabel("Name of output 1 of Outputs").fill("orders");
  await page.keyboard.press("Enter");
  await choose(page, "Type of orders", "array");
  await take(page, "For each");
  await cardOf(page, "each").waitFor();
  await insert(page, "For each element of", /fetch\.orders/);
  await take(page, "Agent");
  await cardOf(page, "each/ask").waitFor();
  await fill(page, "Instruction", "Is this a refund? ");
  await insert(page, "Instruction", /^item/);
  await page.getByRole("button", { name: "Add output" }).click();
  await page.getByLabel("Name of output 1 of Outputs").fill("is_refund");
  await page.keyboard.press("Enter");
  await choose(page, "Type of is_refund", "boolean");
  await take(page, "Choose");
  await cardOf(page, "each/decide/branch.0").waitFor();
  await select(page, "each/decide/branch.0");
  await insert(page, "When", /ask\.is_refund/);
  await take(page, "Approval");
  await cardOf(page, "each/decide/0.approve").waitFor();
  await take(page, "Function");
  await cardOf(page, "each/decide/0.call").waitFor();
}

describe("the canvas", () => {
  it("builds, simulates and runs a workflow without a line of YAML", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/-?template=empty", width: 1440, height: 900 });
    await page.getByText("Add the first step").waitFor();
    await draw(page);
    // Mistakes are shown at the card, at the field, and in the list of problems.
    const mark = cardOf(page, "each/decide/0.call").locator(".graph-mark");
    await mark.waitFor();
    await screenshot(page, "canvas-mistake-light");
    await expect.poll(() => page.getByRole("button", { name: "Save version" }).isDisabled()).toBe(true);
    // Beside the button that cannot be pressed stands why, and it leads to the first one.
    await cardOf(page, "fetch").locator(".graph-card-name").click();
    await page.getByRole("button", { name: /^\d+ problems? to fix$/ }).click();
    await panelOf(page).locator('[data-field="function"] .field-problem').waitFor();
    await fill(page, "Function", "refund");
    await mark.waitFor({ state: "detached" });
    // An otherwise without steps says what it wants; taken away again, nothing is left of it.
    await select(page, "each/decide");
    await panelOf(page).getByRole("button", { name: "Add otherwise" }).click();
    await select(page, "each/decide/branch.1");
    await panelOf(page).locator(".field-problem").first().waitFor();
    await page.getByRole("toolbar", { name: "Canvas" }).getByRole("button", { name: "Delete" }).click();
    await cardOf(page, "each/decide/branch.1").waitFor({ state: "detached" });
    await page.getByText("No problems").waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "canvas-built-light");
    await page.getByRole("tab", { name: "Simulate" }).click();
    await page.getByLabel(/^No one/).check();
    await page.getByLabel(/On the server/).check();
    await page.getByRole("button", { name: "Simulate", exact: true }).click();
    await page.getByRole("region", { name: "Forecast" }).waitFor();
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByRole("heading", { level: 1, name: "refund-desk" }).waitFor();
    await paletteOf(page).waitFor();
    expect(await savedText("refund-desk", 1)).toBe(`name: refund-desk
steps:
  - id: fetch
    provider: http
    command: GET orders
    outputs: { orders: array }
  - id: each
    for_each: fetch.orders
    as: item
    steps:
      - id: ask
        command: Is this a refund? \${item}
        outputs: { is_refund: boolean }
      - id: decide
        choose:
          - when: ask.is_refund
            steps:
              - id: approve
                approval: required
              - id: call
                depends_on: [approve]
                function: refund
`);

    const worker = createWorker({
      url: site.url,
      key: ADMIN,
      functions: { refund: step({ input: z.object({}), output: z.object({}), run: () => Promise.resolve({}) }) },
    });
    const working = worker.run();
    onTestFinished(async () => {
      await worker.stop();
      await working;
    });
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog", { name: "Launch refund-desk" });
    await dialog.getByRole("button", { name: "Start run" }).click();
    await page.waitForURL(/\/runs\/run_/);
    const runId = /run_[^/?]+/.exec(page.url())?.[0] ?? "";
    await page.goto(`${site.url}/approvals`);
    await page
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    await screenshot(page, "canvas-approve-light");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Approve/ })
      .click();
    await expect.poll(() => site.api.settle(runId)).toBe("completed");
  });

  it("keeps the comments of a file that is edited by hand and by mouse", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/daily?tab=editor", width: 1440, height: 900 });
    await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Canvas" }).click();
    await select(page, "sum_up");
    await fill(page, "Timeout", "10m");
    // A step on the line between two, by the pointer.
    const line = page.locator(".graph-edge-add").first();
    await line.hover({ force: true });
    await line.click({ force: true });
    await page.getByRole("menuitem", { name: "Approval" }).click();
    await cardOf(page, "approve").waitFor();
    await page.getByLabel("Id of the step").fill("look");
    await page.keyboard.press("Enter");
    await cardOf(page, "look").waitFor();
    await page.getByRole("toolbar", { name: "Canvas" }).getByRole("button", { name: "Copy" }).click();
    await page.getByRole("toolbar", { name: "Canvas" }).getByRole("button", { name: "Paste" }).click();
    await cardOf(page, "look_2").waitFor();
    await page.getByRole("toolbar", { name: "Canvas" }).getByRole("button", { name: "Undo" }).click();
    await cardOf(page, "look_2").waitFor({ state: "detached" });
    await page.getByText("No problems").waitFor();
    // From the step to its line, and from a line to its step.
    await select(page, "sum_up");
    await page.getByRole("button", { name: /^Line \d+/ }).click();
    await page.locator(".cm-activeLine", { hasText: "sum_up" }).waitFor();
    await page.locator(".cm-line", { hasText: "GET" }).click();
    await cardOf(page, "fetch").and(page.locator(".is-selected")).waitFor();
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("version 2").first().waitFor();
    const expected = WRITTEN.replace("timeout: 5m", "timeout: 10m")
      .replace(
        "  # One sentence each\n",
        "  - id: look\n    depends_on: [fetch]\n    approval: required\n\n  # One sentence each\n",
      )
      .replace("# cheap model\n", "# cheap model\n    depends_on: [look]\n");
    expect(await savedText("daily", 2)).toBe(expected);
  });

  it("saves the line ends of Windows as they were, and edits by mouse and by hand where it should", async () => {
    const written = WRITTEN.replace("name: daily", "name: windows").replaceAll("\n", "\r\n");
    await site.api.save(written);
    const page = await visitDuringTest(site, { path: "/workflows/windows?tab=editor", width: 1440, height: 900 });
    await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Canvas" }).click();
    await page.getByRole("tab", { name: "Text", exact: true }).click();
    await page.locator(".cm-line", { hasText: "timeout: 5m" }).waitFor();
    await select(page, "sum_up");
    await page.getByRole("tab", { name: "Step", exact: true }).click();
    await fill(page, "Timeout", "10m");
    await page.getByRole("tab", { name: "Text", exact: true }).click();
    await page.locator(".cm-line", { hasText: "timeout: 10m # it is slow" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type(" and Fridays");
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("version 2").first().waitFor();
    expect(await savedText("windows", 2)).toBe(
      written.replace("timeout: 5m # it is slow on Mondays", "timeout: 10m # it is slow on Mondays and Fridays"),
    );
  });

  it("goes on checking a text after a word that only looks like a reference of YAML", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/-?template=empty", width: 1440, height: 900 });
    await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Text" }).click();
    await writeAll(page, "name: stars\nsteps:\n  - { id: a, command: *really* }\n");
    await page
      .getByRole("region", { name: "Problems" })
      .getByText(/Aliases such as/)
      .waitFor();
    await writeAll(page, 'name: stars\nsteps:\n  - { id: a, command: "*really*" }\n');
    await page.getByText("No problems").waitFor();
  });

  it("connects by a drawn line, groups, and takes everything back to the letter", async () => {
    const page = await visitDuringTest(site, { path: "/workflows/-?template=empty", width: 1440, height: 900 });
    // The page stays as long as it is when the list of problems empties: else, scrolled down, it moved under the pointer.
    const length = () => page.evaluate<number>("document.documentElement.scrollHeight");
    await page.getByText("1 problem", { exact: true }).waitFor();
    const before = await length();
    await take(page, "Wait");
    await cardOf(page, "pause").waitFor();
    await page.getByText("No problems").waitFor();
    await expect.poll(length).toBe(before);
    // Let go on the canvas, it stands alone.
    await paletteOf(page)
      .getByRole("button", { name: "Set values" })
      .dragTo(page.locator(".draw-pane"), {
        targetPosition: { x: 40, y: 440 },
      });
    await cardOf(page, "values").waitFor();
    await expect.poll(() => page.locator(".graph-edge").count()).toBe(0);
    const [port, target] = [cardOf(page, "pause").locator(".graph-port"), cardOf(page, "values")];
    const [from, to] = [await port.boundingBox(), await target.boundingBox()];
    if (from === null || to === null) throw new Error("not drawn");
    await page.mouse.move(from.x + 10, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 60, to.y + 30, { steps: 4 });
    await page.mouse.up();
    await page.locator(".graph-edge").waitFor({ state: "attached" });
    await panelOf(page).getByText("pause").waitFor();
    await select(page, "pause");
    await cardOf(page, "values")
      .locator(".graph-card-name")
      .click({ modifiers: ["Shift"] });
    await page.getByRole("button", { name: "Group into a block" }).click();
    await cardOf(page, "block/values").waitFor();
    const undo = page.getByRole("toolbar", { name: "Canvas" }).getByRole("button", { name: "Undo" });
    while (await undo.isEnabled()) await undo.click();
    await page.getByText("Add the first step").waitFor();
    await page.getByRole("tab", { name: "Text", exact: true }).click();
    const lines = page.locator(".code-editor .cm-line");
    await lines.first().waitFor();
    expect(await lines.allInnerTexts()).toEqual(["name: my-workflow", "steps: []", expect.anything()]);
  });

  it.each(["light", "dark"] as const)("is accessible and fits in %s", async (theme) => {
    for (const width of [1440, 1024, 390]) {
      const page = await site.visit({
        theme,
        width,
        height: width === 390 ? 844 : 900,
        path: "/workflows/refund-desk?tab=editor",
      });
      await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Canvas" }).click();
      await select(page, width === 390 ? "fetch" : "each/ask");
      await panelOf(page)
        .getByLabel(width === 390 ? "Request" : "Instruction", { exact: true })
        .waitFor();
      await screenshot(page, `canvas-${width}-${theme}`);
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      if (width !== 1024) expect(await violations(page)).toEqual([]);
      await site.leave(page);
    }
  });

  it("gives the browser nothing to complain about", () => {
    expect(site.complaints).toEqual([]);
  });
});
