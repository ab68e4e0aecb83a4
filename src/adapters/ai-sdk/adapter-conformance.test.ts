import { afterEach, describe, expect, it } from "vitest";
import { callTool, createStage, hang, say, VENDORS } from "../../../test/providers/index.ts";
import { checkAdapter } from "../../adapter/index.ts";
import type { ToolOpener } from "./model-tools.ts";

const { open, clear } = createStage();
afterEach(clear);

describe("the interface", () => {
  it.each(VENDORS)("is kept with $name", async (vendor) => {
    // The whole request is repeated, so that answers differ.
    const tools: ToolOpener = () =>
      Promise.resolve({
        tools: { find: { inputSchema: { type: "object" }, execute: () => Promise.resolve("found") } },
        close: () => Promise.resolve(),
      });
    const script = ({ body }: { readonly body: unknown }) => {
      const text = JSON.stringify(body);
      // The second round is asked for with the result of the first.
      if (text.includes("look it up")) return text.includes("call_1") ? say("Found.") : callTool("find", "{}");
      return text.includes("take your time") ? hang("once", "upon") : say("You said: ", text.slice(0, 2_000));
    };
    const { adapter, server } = await open(vendor, script, { adapter: { tools } });
    const config = { endpoints: { local: { kind: "openai-compatible", base_url: server.baseUrl } } };
    const report = await checkAdapter(adapter, {
      config,
      sample: (canary) => ({ model: vendor.model, message: `Repeat ${canary}.` }),
      slow: (canary) => ({ model: vendor.model, message: `Now take your time, ${canary}.` }),
      turn: { model: vendor.model, message: "Please look it up.", tools: ["find"] },
      abortWithinMs: 60_000,
    });
    expect(report.checks.filter(({ ok }) => ok !== true)).toEqual([]);
  });
});
