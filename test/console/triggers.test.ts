import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openContext } from "../browser/browser.ts";
import { openSite, screenshot, type Site, violations } from "./site.ts";
import { visitDuringTest } from "./visit.ts";

const SURVEY = `name: survey
args:
  who: { type: string, required: true, description: Your name }
  age: { type: integer, minimum: 18, default: 30 }
  mood: { type: string, enum: [good, bad], default: good }
steps:
  - { id: note, set: { text: "\${who}, \${age}, \${mood}" } }
`;

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api.save(SURVEY);
});
afterAll(() => site.close());

/** Opens the form as a visitor without a key. */
async function visitForm(formUrl: string): Promise<Page> {
  const { pathname, search } = new URL(formUrl, site.url);
  const context = await openContext({ viewport: { width: 480, height: 800 }, locale: "en-GB" });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${site.url}${pathname}${search}`);
  expect(await violations(page)).toEqual([]);
  return page;
}

describe("the form of a trigger", () => {
  it("sends the files that a visitor chooses", async () => {
    await site.api.save(
      "name: claim\nargs: { receipt: { type: file, required: true } }\nsteps:\n  - { id: note, set: { text: '${receipt.name}' } }\n",
    );
    const spec = { workflow: "claim", on: { form: { public: true } }, respond: "outputs" };
    const { body } = await site.api.request("PUT", "triggers/claims", { body: spec });
    const page = await visitForm(body.formUrl);
    const file = { name: "receipt é.txt", mimeType: "text/plain", buffer: Buffer.from("12 EUR") };
    await page.getByLabel("receipt").setInputFiles(file);
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByText('"text": "receipt é.txt"').waitFor();
    const stored = await site.api.store.listFiles("default", { limit: 10, cursor: null });
    expect(stored.data).toMatchObject([{ name: "receipt é.txt", mime: "text/plain", size: 6 }]);
  });

  it("is filled in by a visitor without a key, held to the limits of the args, and starts a run", async () => {
    const spec = { workflow: "survey", on: { form: { public: true } } };
    const { body } = await site.api.request("PUT", "triggers/ask", { body: spec });
    const page = await visitForm(body.formUrl);
    await screenshot(page, "trigger-form");
    await page.getByLabel("age").fill("12");
    await page.getByLabel("who").fill("Ann");
    await page.getByRole("button", { name: "Start" }).click();
    // The browser itself holds the limits of the args.
    expect(await page.evaluate("document.querySelector('#age').validity.rangeUnderflow")).toBe(true);
    await page.getByLabel("age").fill("44");
    await page.getByLabel("mood").selectOption("bad");
    await page.getByRole("button", { name: "Start" }).click();
    const started = page.getByText(/run_\w+/);
    await started.waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "trigger-form-started");
    const runId = /run_\w+/.exec((await started.textContent()) ?? "")?.[0] ?? "";
    await site.api.settle(runId);
    const run = await site.api.store.getRun("default", runId);
    expect(run).toMatchObject({ workflow: "survey", args: { who: "Ann", age: 44, mood: "bad" }, trigger: "form" });
  });
});

describe("the tab of triggers", () => {
  it("lists them", async () => {
    const spec = { workflow: "survey", on: { event: { type: "asked" } }, args: { who: "${body.name}" } };
    await site.api.request("PUT", "triggers/on-asked", { body: spec });
    const page = await visitDuringTest(site, { path: "/o/default/settings/triggers" });
    await page.getByText("on-asked").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await screenshot(page, "triggers");
    expect(site.complaints).toEqual([]);
  });
});
