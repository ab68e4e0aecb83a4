import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../base/index.ts";
import type { ContractError, InputContract, LensField, OutputContract } from "../definition/index.ts";
import type { Envelope } from "../event/index.ts";
import { checkInputContract } from "./input-contract.ts";
import { checkOutputContract, settleEnvelope } from "./output-contract.ts";
import { isUrl } from "./url.ts";

const noLabels: ReadonlySet<string> = new Set();

function inputContract(fields: Record<string, LensField>, more: Partial<InputContract> = {}): InputContract {
  return { kind: "text", fields, requireAnyOf: [], isStrict: false, ...more };
}

function outputContract(more: Partial<OutputContract> = {}): OutputContract {
  return { kind: "text", artifactKind: "text", schema: {}, tokens: [], ...more };
}

function brief(errors: readonly ContractError[]): string[] {
  return errors.map((error) => `${error.field} ${error.reason}`);
}

function nest(levels: number): Json {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const answer: Envelope = { kind: "text", artifactKind: "text", output: "hello" };

describe("checkInputContract", () => {
  it.each<readonly [LensField, Json, string[]]>([
    [{ type: "integer", required: true }, "500", ["x type_mismatch"]],
    [{ type: "integer", required: true }, 500, []],
    [{ type: "number", required: true }, Number.NaN, ["x type_mismatch"]],
    [{ type: "boolean", required: true }, "true", ["x type_mismatch"]],
    [{ type: "boolean", required: true }, false, []],
    [{ type: "integer", required: true }, 0, []],
    [{ type: "string", required: true }, "", ["x missing_required"]],
    [{ type: "string", required: true }, null, ["x missing_required"]],
    [{ type: "string", required: false, minLength: 5 }, "", []],
    [{ type: "url", required: true }, "https://example.org/a?b#c", []],
    [{ type: "url", required: true }, "not a url", ["x pattern_mismatch"]],
    [{ type: "url", required: true }, 5, ["x type_mismatch"]],
    [{ type: "json", required: true }, [1], []],
    [{ type: "json", required: true }, { a: 1 }, []],
    [{ type: "json", required: true }, "{}", ["x type_mismatch"]],
    [{ type: "any", required: true }, false, []],
    [{ type: "array", required: true, itemType: "integer" }, [1, "a", "b"], ["x[1] type_mismatch"]],
    [{ type: "array", required: true, itemType: "url" }, ["https://a.b", "nope"], ["x[1] pattern_mismatch"]],
    [{ type: "array", required: true, minLength: 2 }, [1], ["x too_short"]],
    [{ type: "string", required: true, pattern: "^a" }, "b", ["x pattern_mismatch"]],
    [{ type: "string", required: true, minLength: 2, maxLength: 3 }, "ab", []],
    [{ type: "string", required: true, minLength: 2, maxLength: 3 }, "abcd", ["x too_long"]],
    [{ type: "number", required: true, min: 1, max: 2 }, 2, []],
    [{ type: "number", required: true, min: 1, max: 2 }, 2.1, ["x above_max"]],
    [{ type: "number", required: true, min: 1, max: 2 }, 0, ["x below_min"]],
    [{ type: "string", required: true, enum: ["low", "high"] }, "high: very", []],
    [{ type: "string", required: true, enum: ["low", "high"] }, "higher", ["x enum_mismatch"]],
    [{ type: "number", required: true, enum: ["1", "2"] }, 2, []],
    [{ type: "json", required: true, enum: ["[1]"] }, [1], ["x enum_mismatch"]],
  ])("%j against %j gives %j", (field, value, expected) => {
    expect(brief(checkInputContract(inputContract({ x: field }), { x: value }, noLabels))).toStrictEqual(expected);
  });

  it("names a pattern that cannot be compiled", () => {
    const contract = inputContract({ x: { type: "string", required: true, pattern: "(" } });
    const [error] = checkInputContract(contract, { x: "a" }, noLabels);
    expect(error?.reason).toBe("pattern_mismatch");
    expect(error?.details).toMatch(/^invalid_regex/);
  });

  it("matches labels in their normalised form", () => {
    const contract = inputContract({ "My Topic": { type: "string", required: true } }, { isStrict: true });
    expect(checkInputContract(contract, { my_topic: "tea" }, noLabels)).toStrictEqual([]);
    expect(brief(checkInputContract(contract, {}, noLabels))).toStrictEqual(["My Topic missing_required"]);
  });

  it("excuses substituted labels from being required, and from nothing else", () => {
    const contract = inputContract({
      topic: { type: "string", required: true },
      size: { type: "integer", required: true },
    });
    expect(checkInputContract(contract, { topic: "", size: 1 }, new Set(["Topic"]))).toStrictEqual([]);
    expect(brief(checkInputContract(contract, { topic: "t", size: "x" }, new Set(["size"])))).toStrictEqual([
      "size type_mismatch",
    ]);
  });

  it("asks for one of each group", () => {
    const contract = inputContract({}, { requireAnyOf: [["url", "Text Body"], ["tone"]], isStrict: true });
    expect(brief(checkInputContract(contract, { text_body: "t", url: "" }, noLabels))).toStrictEqual([
      "tone missing_required",
    ]);
    expect(brief(checkInputContract(contract, {}, new Set(["tone"])))).toStrictEqual([
      "url|Text Body missing_required",
    ]);
    expect(checkInputContract(contract, { url: "u", tone: "warm" }, noLabels)).toStrictEqual([]);
  });

  it("flags unknown labels only when strict", () => {
    const fields = { a: { type: "any", required: false } } as const;
    const values = JSON.parse('{"a": 1, "b": 2, "__proto__": 3}') as JsonObject;
    expect(checkInputContract(inputContract(fields), values, noLabels)).toStrictEqual([]);
    expect(brief(checkInputContract(inputContract(fields, { isStrict: true }), values, noLabels))).toStrictEqual([
      "b unknown_field",
      "__proto__ unknown_field",
    ]);
  });

  it("does not take inherited names for values", () => {
    const contract = inputContract(Object.fromEntries([["constructor", { type: "any", required: true }]]));
    expect(brief(checkInputContract(contract, {}, noLabels))).toStrictEqual(["constructor missing_required"]);
  });

  it("refuses a value nested too deeply", () => {
    const contract = inputContract({ x: { type: "json", required: true } });
    expect(brief(checkInputContract(contract, { x: nest(10_000) }, noLabels))).toStrictEqual(["x schema_violation"]);
  });
});

describe("checkOutputContract", () => {
  it("accepts what was promised", () => {
    const contract = outputContract({ schema: { title: { type: "string", required: true, minLength: 4 } } });
    expect(checkOutputContract(contract, { ...answer, data: { title: "Long", more: 1 } })).toStrictEqual([]);
    expect(checkOutputContract(null, answer)).toStrictEqual([]);
  });

  it("names missing and broken data fields by their path", () => {
    const contract = outputContract({
      schema: { title: { type: "string", required: true }, score: { type: "integer", required: true, max: 10 } },
    });
    expect(brief(checkOutputContract(contract, answer))).toStrictEqual([
      "data.title missing_required",
      "data.score missing_required",
    ]);
    expect(brief(checkOutputContract(contract, { ...answer, data: { title: 5, score: 11 } }))).toStrictEqual([
      "data.title type_mismatch",
      "data.score above_max",
    ]);
    expect(brief(checkOutputContract(contract, { ...answer, data: [1] }))).toStrictEqual(["data schema_violation"]);
  });

  it("compares kind and artifact kind", () => {
    const contract = outputContract({ kind: "image", artifactKind: "png" });
    expect(brief(checkOutputContract(contract, answer))).toStrictEqual([
      "kind enum_mismatch",
      "artifactKind enum_mismatch",
    ]);
  });

  it("refuses a result that holds nothing, contract or not", () => {
    const empty: Envelope = { ...answer, output: "" };
    expect(brief(checkOutputContract(null, empty))).toStrictEqual(["output missing_required"]);
    expect(brief(checkOutputContract(outputContract(), { ...empty, data: null }))).toStrictEqual([
      "output missing_required",
    ]);
    expect(checkOutputContract(null, { ...empty, data: {} })).toStrictEqual([]);
    expect(checkOutputContract(null, { ...empty, media: { url: "https://a.b/c.png" } })).toStrictEqual([]);
  });

  it("looks for promised tokens", () => {
    const contract = outputContract({
      tokens: ["output", "summary", "data.items[0]", "title"],
      schema: { title: { type: "string", required: false } },
    });
    expect(brief(checkOutputContract(contract, answer))).toStrictEqual([
      "summary missing_required",
      "data.items[0] missing_required",
    ]);
    expect(checkOutputContract(contract, { ...answer, data: { summary: "s", items: [0] } })).toStrictEqual([]);
  });

  it("refuses data nested too deeply", () => {
    expect(brief(checkOutputContract(null, { ...answer, data: nest(10_000) }))).toStrictEqual([
      "data schema_violation",
    ]);
  });
});

describe("settleEnvelope", () => {
  const contract = outputContract({
    schema: {
      score: { type: "integer", required: true },
      verdict: { type: "string", required: true, enum: ["APPROVED", "REJECTED"] },
      source: { type: "url", required: false },
    },
  });

  it("brings data to its declared types and enum members", () => {
    const data = { score: "7", verdict: "APPROVED - fine", source: "https://a.b", other: "9" };
    const settled = settleEnvelope(contract, { ...answer, data });
    expect(settled.envelope.data).toStrictEqual({ ...data, score: 7, verdict: "APPROVED" });
    expect(settled.raw).toStrictEqual({ verdict: "APPROVED - fine" });
    expect(settled.errors).toStrictEqual([]);
  });

  it("finds data in the text when none came beside it", () => {
    const output = 'As said in [1]:\n```json\n{"score": 3, "verdict": "REJECTED"}\n```';
    const settled = settleEnvelope(contract, { ...answer, output });
    expect(settled.envelope).toStrictEqual({ ...answer, output, data: { score: 3, verdict: "REJECTED" } });
    expect(settled.errors).toStrictEqual([]);
  });

  it("leaves alone what it has no contract for", () => {
    const envelope: Envelope = { ...answer, output: '{"score": "7"}' };
    expect(settleEnvelope(null, envelope).envelope).toBe(envelope);
    expect(settleEnvelope(outputContract(), envelope).envelope).toBe(envelope);
    const listed: Envelope = { ...answer, data: [1] };
    expect(settleEnvelope(contract, listed).envelope).toBe(listed);
    expect(brief(settleEnvelope(contract, listed).errors)).toStrictEqual(["data schema_violation"]);
    expect(brief(settleEnvelope(contract, answer).errors)).toStrictEqual([
      "data.score missing_required",
      "data.verdict missing_required",
    ]);
  });
});

describe("isUrl", () => {
  it.each([
    "https://example.org",
    "http://localhost:8080/path?x=1#y",
    "http://[::1]:65535/",
    "https://user:secret@example.org/",
    "HTTPS://EXAMPLE.ORG",
    "https://bücher.example/straße",
    "https://example.org:/",
    "mailto:a@example.org",
    "urn:isbn:1",
    "data:image/png;base64,AAAA",
    "file:///etc/hosts",
    "s3://bucket/key",
  ])("accepts %s", (text) => {
    expect(isUrl(text)).toBe(true);
  });

  it.each([
    "",
    "example.org",
    "//example.org",
    "/path",
    "http:",
    "http://",
    "http:///path",
    "https://:80",
    "https://?x",
    "https://a b.org",
    "https://example.org/a b",
    "https://example.org:65536",
    "https://example.org:port",
    "https://[::1",
    "https://exa[mple.org",
    "1http://example.org",
    "ht tp://example.org",
    "https://example.org/\u0000",
    "https://<script>",
    ":",
    "x:",
    "x://",
  ])("refuses %j", (text) => {
    expect(isUrl(text)).toBe(false);
  });
});
