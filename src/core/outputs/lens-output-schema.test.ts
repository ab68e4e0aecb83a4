import { describe, expect, it } from "vitest";
import type { OutputContract } from "../definition/index.ts";
import { lensOutputSchema } from "./lens-output-schema.ts";

const contract = (schema: OutputContract["schema"]): OutputContract => ({
  kind: "text",
  artifactKind: "text",
  schema,
  tokens: [],
});

describe("schema of a lens", () => {
  it("is nothing when no data is promised", () => {
    expect(lensOutputSchema(null)).toBeNull();
    expect(lensOutputSchema(contract({}))).toBeNull();
  });

  it("says what the contract says", () => {
    const schema = lensOutputSchema(
      contract({
        score: { type: "integer", required: true, min: 1, max: 5 },
        link: { type: "url", required: false, maxLength: 200 },
        tags: { type: "array", required: true, minLength: 1, itemType: "string" },
        mood: { type: "string", required: true, enum: ["calm", "stormy"], pattern: "^[a-z]+$" },
        more: { type: "any", required: false },
        data: { type: "json", required: false },
      }),
    );
    expect(schema).toEqual({
      type: "object",
      properties: {
        score: { type: "integer", minimum: 1, maximum: 5 },
        link: { type: "string", format: "uri", maxLength: 200 },
        tags: { type: "array", minItems: 1, items: { type: "string" } },
        mood: { type: "string", enum: ["calm", "stormy"], pattern: "^[a-z]+$" },
        more: {},
        data: { type: ["object", "array"] },
      },
      required: ["score", "tags", "mood"],
    });
  });
});
