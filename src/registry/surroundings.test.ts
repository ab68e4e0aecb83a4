import { describe, expect, it } from "vitest";
import type { JsonObject } from "../core/base/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { catalogAround, surroundingsOf } from "./surroundings.ts";

const REGISTERED: Readonly<Record<string, JsonObject>> = {
  "library/greet": { command: "Say hello", outputs: { text: "string" } },
  "lens/judge": { versions: [{ id: "v1", template_body: "Judge [[answer]]." }] },
  "lens/broken": { versions: "none" },
};

async function codesOf(document: JsonObject): Promise<readonly string[]> {
  const source = JSON.stringify(document);
  const around = await surroundingsOf(source, (kind, name) => Promise.resolve(REGISTERED[`${kind}/${name}`]));
  return checkSource(source, catalogAround(around)).problems.map(({ code, path }) => `${code} ${path}`);
}

describe("what a text refers to", () => {
  it("is found although something else in it is wrong", async () => {
    const steps = [
      { id: "a", library_step: "greet" },
      { id: "b", command: "x", on_failure: "hlat" },
      { id: "c", library_step: "geet" },
    ];
    expect(await codesOf({ name: "w", steps })).toEqual([
      "bad_enum steps[1].on_failure",
      "unknown_library_step steps[2].library_step",
    ]);
    const nodes = [
      { id: "a", lens_id: "judge" },
      { id: "b", lens_id: "judge", ordinal: "x" },
    ];
    expect(await codesOf({ format: "lens-graph/v1", name: "g", nodes })).toEqual(["wrong_type nodes[1].ordinal"]);
  });

  it("exists although it cannot be read, which is reported where it is written", async () => {
    const nodes = [{ id: "a", lens_id: "broken", version_id: "v1" }];
    expect(await codesOf({ format: "lens-graph/v1", name: "g", nodes })).toEqual([]);
  });
});
