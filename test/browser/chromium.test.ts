import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { startOpenAiServer, TEST_KEY } from "../providers/index.ts";
import { openBrowser } from "./browser.ts";
import { comparable } from "./comparable.ts";
import { allowPages, type PageServer, servePage } from "./page.ts";
import { MODEL, runOnServer } from "./server-run.ts";
import { modelOf, SCENES } from "./workflows.ts";

let site: PageServer;
let browser: Browser;

beforeAll(async () => {
  site = await servePage();
  browser = await openBrowser();
});
afterAll(() => site?.close());

/** What the page does, as text: it is run there, where none of our modules are. */
const IN_PAGE = `async ({ source, args, provider }) => {
  const { readWorkflow, runInBrowser } = await import("/browser.js");
  const { plan, hash, problems } = readWorkflow(source);
  if (plan === null) throw new Error(JSON.stringify(problems));
  const outcome = await runInBrowser({ plan, hash, args, provider, runId: "run_same", random: () => 0.5 });
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return { status: outcome.value.state.status, events: outcome.value.events };
}`;

describe("in Chromium", () => {
  it.each(SCENES)("a run has the events it has on a server: $name", async (scene) => {
    const model = await startOpenAiServer(modelOf(scene));
    const forServer = await startOpenAiServer(modelOf(scene));
    const forPage = await allowPages(model.baseUrl);
    const page = await browser.newPage();
    try {
      const asked: string[] = [];
      page.on("request", (request) => asked.push(new URL(request.url()).origin));
      await page.goto(site.url);
      const provider = { kind: "openai-compatible", baseUrl: forPage.url, apiKey: TEST_KEY, model: MODEL };
      const given = JSON.stringify({ source: scene.source, args: scene.args, provider });
      const here = await page.evaluate<{ status: string; events: RunEvent[] }>(`(${IN_PAGE})(${given})`);
      const there = await runOnServer(scene, forServer);
      expect(here.status).toBe(scene.status);
      expect(comparable(here.events, scene.isCutShort)).toEqual(comparable(there, scene.isCutShort));
      expect(new Set(asked)).toEqual(new Set([site.url, new URL(forPage.url).origin]));
    } finally {
      await page.close();
      await Promise.all([forPage.close(), model.close(), forServer.close()]);
    }
  });
});
