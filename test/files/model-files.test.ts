import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { outputJsonSchema } from "../../src/core/outputs/index.ts";
import { createStage, say, sayJson, VENDORS } from "../providers/index.ts";
import { type Kept, openKept } from "./kept.ts";

const { play, clear } = createStage();
afterEach(clear);

let kept: Kept;
beforeEach(async () => {
  kept = await openKept();
});

describe.each(VENDORS.map((vendor) => [vendor.name, vendor] as const))("files for a model of %s", (_name, vendor) => {
  it("are parts of the question: texts as text, pictures as they are", async () => {
    const notes = await kept.give("notes.txt", "the tide is high");
    const picture = await kept.give("map.png", "not really a picture", "image/png");
    const { result, server } = await play(
      vendor,
      [say("seen")],
      { inputs: { notes: { ...notes }, map: { ...picture } } },
      { files: kept.ofRun },
    );
    expect(result).toMatchObject({ status: "completed", stdout: "seen" });
    const sent = JSON.stringify(server.calls[0]);
    expect(sent).toContain("File notes.txt:\\nthe tide is high");
    expect(sent).toContain(Buffer.from("not really a picture").toString("base64"));
    // What is kept of the conversation holds no content of files.
    expect(JSON.stringify(result)).not.toContain("the tide is high");
  });

  it("are not asked for in words", async () => {
    const outputSchema = {
      ...outputJsonSchema({
        title: { type: "string", required: true },
        picture: { type: "file", required: false },
      }),
    };
    const { result, server } = await play(
      vendor,
      [sayJson({ title: "Tides" })],
      { outputSchema, outputStrategy: "json" },
      { files: kept.ofRun },
    );
    expect(result).toMatchObject({ status: "completed", outputs: { title: "Tides" } });
    expect(JSON.stringify(server.calls[0])).not.toContain("sha256");
  });

  it("that are not there, or too large, fail the attempt before the model is called", async () => {
    const gone = { name: "a.png", mime: "image/png", size: 3, sha256: "f".repeat(64) };
    for (const [file, code] of [
      [gone, "unknown_file"],
      [{ ...gone, size: 21 * 1_048_576 }, "file_too_large"],
    ] as const) {
      const { result, server } = await play(vendor, [say("no")], { inputs: { file } }, { files: kept.ofRun });
      expect(result).toMatchObject({ status: "failed", failure: "provider_refused", retryable: false });
      expect(result.status === "failed" && result.message).toMatch(new RegExp(`^${code}:`));
      expect(server.calls).toHaveLength(0);
    }
  });
});
