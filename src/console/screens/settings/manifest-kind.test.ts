import { describe, expect, it } from "vitest";
import { readSource } from "../../../core/text/index.ts";
import { readSpec } from "../../../registry/index.ts";
import { KINDS, specOf } from "./manifest-kind.ts";

describe("kinds of manifests", () => {
  it.each(Object.values(KINDS))("has a sample of $kind that can be saved", ({ kind, sample }) => {
    const { tree } = readSource(sample);
    const read = readSpec(kind, "sample", tree?.value ?? null);
    expect(read.ok ? [] : read.problems).toEqual([]);
  });

  it("takes away what only the server says, and keeps names that somebody chose", () => {
    const shown = {
      id: "a",
      revision: 3,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      phaseSince: null,
      onFailure: "skip",
      with: { my_Key: 1, other_key: 2 },
      outputs: { my_Field: { type: "string", minLength: 2, itemType: "x" } },
    };
    expect(specOf(shown)).toEqual({
      on_failure: "skip",
      with: { my_Key: 1, other_key: 2 },
      outputs: { my_Field: { type: "string", minLength: 2, item_type: "x" } },
    });
  });
});
