import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { parseLens, readCatalog } from "./index.ts";

const VERSION = { id: "v1", template_body: "Answer [[question]] in [[tone!]] words." };

function problemsOf(spec: Json): readonly string[] {
  const outcome = parseLens("answer", spec);
  return outcome.ok ? [] : outcome.failure.map((problem) => `${problem.code} ${problem.path.join(".")}`);
}

function withField(field: Json): Json {
  return { versions: [{ ...VERSION, input_contract: { kind: "text", fields: { question: field } } }] };
}

describe("parseLens", () => {
  it("reads versions with their contracts, in both spellings", () => {
    const spec = {
      id: "answer",
      versions: [
        VERSION,
        {
          id: "v2",
          template_body: "x",
          input_contract: {
            kind: "text",
            fields: { question: { type: "string", required: true, minLength: 3, max_length: 9, pattern: "^a" } },
            requireAnyOf: [["question"]],
            strict: true,
          },
          output_contract: {
            kind: "text",
            artifactKind: "json",
            schema: { n: { type: "integer", min: 1, enum: [1, "2"] } },
          },
          required_tools: ["search"],
          required_tier: "advanced",
          role_tag: "writer",
        },
      ],
    };
    const outcome = parseLens("answer", spec);
    expect(outcome).toMatchObject({
      ok: true,
      value: {
        id: "answer",
        versions: [
          { id: "v1", inputContract: null, outputContract: null, requiredTools: [], requiredTier: null, roleTag: null },
          {
            id: "v2",
            inputContract: {
              kind: "text",
              fields: { question: { type: "string", required: true, minLength: 3, maxLength: 9, pattern: "^a" } },
              requireAnyOf: [["question"]],
              isStrict: true,
            },
            outputContract: {
              kind: "text",
              artifactKind: "json",
              schema: { n: { type: "integer", required: false, min: 1, enum: ["1", "2"] } },
              tokens: [],
            },
            requiredTier: "advanced",
          },
        ],
      },
    });
  });

  it.each([
    [{}, ["missing_field versions"]],
    [{ versions: [] }, ["missing_field versions"]],
    ["text", ["wrong_type "]],
    [{ id: "other", versions: [VERSION] }, ["conflicting_fields id"]],
    [{ versions: [VERSION, VERSION] }, ["duplicate_id versions.1.id"]],
    [{ versions: [{ id: "v" }] }, ["missing_field versions.0.template_body"]],
    [{ versions: [{ ...VERSION, required_tier: "best" }] }, ["bad_enum versions.0.required_tier"]],
    [{ versions: [{ ...VERSION, template_body: "[[open" }] }, ["bad_template versions.0.template_body"]],
    [{ versions: [{ ...VERSION, template_body: "x\0" }] }, ["text_unstorable versions.0.template_body"]],
    [
      { versions: [{ ...VERSION, output_contract: { kind: "text" } }] },
      ["missing_field versions.0.output_contract.artifact_kind"],
    ],
  ])("refuses %j", (spec, expected) => {
    expect(problemsOf(spec)).toEqual(expected);
  });

  it.each([
    [{ type: "any", min: 1, pattern: "x", item_type: "string" }, undefined],
    [{ type: "date" }, "bad_enum"],
    [{}, "missing_field"],
    [{ type: "string", min: 1 }, "conflicting_fields"],
    [{ type: "json", enum: ["x"] }, "conflicting_fields"],
    [{ type: "number", min: 2, max: 1 }, "bad_number"],
    [{ type: "string", min_length: 2, max_length: 1 }, "bad_number"],
    [{ type: "string", enum: [] }, "bad_enum"],
    [{ type: "string", pattern: "[" }, "bad_pattern"],
    [{ type: "string", minimum: 1 }, "unknown_key"],
  ])("field %j → %s", (field, code) => {
    expect(problemsOf(withField(field)).map((problem) => problem.split(" ")[0])).toEqual(
      code === undefined ? [] : [code],
    );
  });
});

describe("readCatalog", () => {
  const STREAM = `kind: LibraryStep
name: smoke
spec: { command: Run the tests., timeout: 60 }
---
kind: Agent
name: default
spec: { anything: goes }
---
kind: Lens
name: answer
spec:
  versions: [{ id: v1, template_body: "Answer [[question]]" }]
`;

  it("takes library steps and lenses from a stream of manifests", () => {
    const { catalog, problems } = readCatalog(STREAM);
    expect(problems).toEqual([]);
    expect(catalog.library).toEqual({ smoke: { command: "Run the tests.", timeout: 60 } });
    expect(catalog.lenses?.answer?.versions.map((version) => version.id)).toEqual(["v1"]);
    expect(catalog.workflows).toBeNull();
  });

  it("takes a plain map", () => {
    const { catalog, problems } = readCatalog("steps: { smoke: { command: x } }\n");
    expect(problems).toEqual([]);
    expect(catalog).toEqual({ library: { smoke: { command: "x" } }, lenses: null, workflows: null });
  });

  it("shows problems at their place in the stream", () => {
    const source = `${STREAM}---\nkind: LibraryStep\nname: smoke\nspec: { id: a, comand: x }\n---\nkind: Lens\nspec: {}\n---\n- 1\n---\nstepz: {}\n`;
    const { problems } = readCatalog(source);
    expect(problems.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`)).toEqual([
      "duplicate_id spec 16:7",
      "unknown_key spec.id 16:9",
      "unknown_key spec.comand 16:16",
      "missing_field name 18:1",
      "missing_field spec.versions 19:7",
      "wrong_type  21:1",
      "unknown_key stepz 23:1",
    ]);
  });
});
