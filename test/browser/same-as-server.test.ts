import { describe, expect, it } from "vitest";
import { runInBrowser } from "../../src/browser/index.ts";
import { startOpenAiServer, TEST_KEY } from "../providers/index.ts";
import { comparable } from "./comparable.ts";
import { MODEL, planOf, runOnServer } from "./server-run.ts";
import { modelOf, SCENES } from "./workflows.ts";

describe("a run in a page and the same run on a server", () => {
  it.each(SCENES)("have the same events: $name", async (scene) => {
    const forPage = await startOpenAiServer(modelOf(scene));
    const forServer = await startOpenAiServer(modelOf(scene));
    try {
      const here = await runInBrowser({
        plan: planOf(scene.source),
        args: scene.args,
        provider: { kind: "openai-compatible", baseUrl: forPage.baseUrl, apiKey: TEST_KEY, model: MODEL },
        runId: "run_same",
        random: () => 0.5,
      });
      if (!here.ok) throw new Error(JSON.stringify(here.failure));
      const there = await runOnServer(scene, forServer);
      expect(here.value.state.status).toBe(scene.status);
      expect(comparable(here.value.events, scene.isCutShort)).toEqual(comparable(there, scene.isCutShort));
      expect(forPage.calls).toHaveLength(forServer.calls.length);
      for (const { headers } of forPage.calls) expect(headers.authorization).toBe(`Bearer ${TEST_KEY}`);
      expect(JSON.stringify(here.value.events)).not.toContain(TEST_KEY);
    } finally {
      await Promise.all([forPage.close(), forServer.close()]);
    }
  });
});
