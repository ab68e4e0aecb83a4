import { afterEach, describe, expect, it } from "vitest";
import { createStage, hang, say, VENDORS } from "../../../test/providers/index.ts";
import { checkAdapter } from "../../adapter/index.ts";

const { open, clear } = createStage();
afterEach(clear);

describe("the interface", () => {
  it.each(VENDORS)("is kept with $name", async (vendor) => {
    // The whole request is repeated, so that answers differ.
    const { adapter, server } = await open(vendor, ({ body }) => {
      const text = JSON.stringify(body);
      return text.includes("take your time") ? hang("once", "upon") : say("You said: ", text.slice(0, 2_000));
    });
    const config = { endpoints: { local: { kind: "openai-compatible", base_url: server.baseUrl } } };
    const report = await checkAdapter(adapter, {
      config,
      sample: (canary) => ({ model: vendor.model, message: `Repeat ${canary}.` }),
      slow: (canary) => ({ model: vendor.model, message: `Now take your time, ${canary}.` }),
    });
    expect(report.checks.filter(({ ok }) => ok !== true)).toEqual([]);
  });
});
