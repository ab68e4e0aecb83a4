import { describe, expect, it } from "vitest";
import { isJsonObject, type Json } from "../../../core/base/index.ts";
import { readSource } from "../../../core/text/index.ts";
import { readSpec } from "../../../registry/index.ts";
import { entryOnWire } from "../../../server/entry-on-wire.ts";
import { KINDS, specOf } from "./manifest-kind.ts";

function read(text: string): Json {
  const { tree, problems } = readSource(text);
  expect(problems, text).toEqual([]);
  return tree?.value ?? null;
}

describe("kinds of manifests", () => {
  it.each(Object.values(KINDS))("has a sample of $kind that can be saved", ({ kind, sample }) => {
    const result = readSpec(kind, "sample", read(sample));
    expect(result.ok ? [] : result.problems).toEqual([]);
  });

  // Gateways are shown in a form of their own.
  it.each(Object.values(KINDS).filter(({ kind }) => kind !== "Gateway"))(
    "writes $kind back as it was written",
    ({ kind, sample }) => {
      const result = readSpec(kind, "sample", read(sample));
      if (!result.ok) throw new Error("not read");
      const shown = entryOnWire(kind, { id: "sample", revision: 2, body: result.body, createdAt: 0, updatedAt: 0 });
      const again = readSpec(kind, "sample", specOf(shown));
      expect(again.ok ? again.body : again.problems).toEqual(result.body);
    },
  );

  it("keeps names that somebody chose", () => {
    const body = { command: "x", with: { my_Key: 1 }, outputs: { my_Field: { type: "string", minLength: 2 } } };
    const shown = entryOnWire("LibraryStep", { id: "a", revision: 1, body, createdAt: 0, updatedAt: 0 });
    expect(isJsonObject(shown) && specOf(shown)).toEqual(body);
  });
});
