import { describe, expect, it } from "vitest";
import { checkArgs, type ArgField } from "./index.ts";

const FIELDS: Readonly<Record<string, ArgField>> = {
  vendor: { type: "string", required: true, minLength: 2, maxLength: 4 },
  score: { type: "integer", required: false, default: 3, minimum: 1, maximum: 5 },
  kind: { type: "string", required: false, enum: ["saas", "paas"] },
  code: { type: "string", required: false, pattern: "^[A-Z]+$" },
  ratio: { type: "number", required: false },
  urgent: { type: "boolean", required: false, default: false },
  tags: { type: "array", required: false },
  extra: { type: "object", required: false },
  free: { required: false, default: null },
};

function refusals(given: Parameters<typeof checkArgs>[1]): readonly string[] {
  const outcome = checkArgs(FIELDS, { vendor: "acme", ...given });
  return outcome.ok ? [] : outcome.failure.map((problem) => `${problem.code} ${problem.path}`);
}

describe("checkArgs", () => {
  it("fills in defaults and leaves out what has none", () => {
    const outcome = checkArgs(FIELDS, { vendor: "acme", kind: "paas" });
    expect(outcome).toEqual({
      ok: true,
      value: { vendor: "acme", score: 3, kind: "paas", urgent: false, free: null },
    });
  });

  it.each([
    [{ score: 1 }, []],
    [{ score: 5 }, []],
    [{ score: 0 }, ["bad_number args.score"]],
    [{ score: 6 }, ["bad_number args.score"]],
    [{ score: 2.5 }, ["wrong_type args.score"]],
    [{ score: "3" }, ["wrong_type args.score"]],
    [{ vendor: "a" }, ["bad_number args.vendor"]],
    [{ vendor: "ab" }, []],
    [{ vendor: "abcd" }, []],
    [{ vendor: "😀😀😀😀" }, []],
    [{ vendor: "abcde" }, ["bad_number args.vendor"]],
    [{ kind: "saas" }, []],
    [{ kind: "saas - mostly" }, ["bad_enum args.kind"]],
    [{ code: "ABC" }, []],
    [{ code: "abc" }, ["bad_pattern args.code"]],
    [{ ratio: 0.5 }, []],
    [{ ratio: Number.NaN }, ["wrong_type args.ratio"]],
    [{ urgent: "yes" }, ["wrong_type args.urgent"]],
    [{ tags: "x" }, ["wrong_type args.tags"]],
    [{ extra: [] }, ["wrong_type args.extra"]],
    [{ extra: { a: 1 }, tags: [1] }, []],
    [{ free: { any: ["thing"] } }, []],
    [{ vendor: null }, ["missing_field args.vendor"]],
    [{ score: null, kind: null }, []],
    [{ scroe: 1 }, ["unknown_key args.scroe"]],
    [{ tags: ["a\0"] }, ["text_unstorable args.tags[0]"]],
    [{ extra: { "k\ud800": 1 } }, ["text_unstorable args.extra.k\ud800"]],
  ])("%j → %j", (given, expected) => {
    expect(refusals(given)).toEqual(expected);
  });

  it("reports everything at once, at line 1, with hints", () => {
    const outcome = checkArgs(FIELDS, { scroe: 1, urgent: 3 });
    expect(outcome).toEqual({
      ok: false,
      failure: [
        {
          code: "unknown_key",
          path: "args.scroe",
          line: 1,
          column: 1,
          message: 'There is no arg "scroe".',
          hint: 'Did you mean "score"?',
        },
        {
          code: "missing_field",
          path: "args.vendor",
          line: 1,
          column: 1,
          message: 'Arg "vendor" is required.',
          hint: 'Give "vendor" (string).',
        },
        {
          code: "wrong_type",
          path: "args.urgent",
          line: 1,
          column: 1,
          message: 'Arg "urgent" must be true or false, but it is 3.',
        },
      ],
    });
  });

  it("never reaches into prototypes", () => {
    const field: ArgField = { type: "string", required: true };
    const outcome = checkArgs(Object.fromEntries([["toString", field]]), {});
    expect(outcome.ok).toBe(false);
    expect(checkArgs({}, { constructor: 1 }).ok).toBe(false);
  });

  it("stops at fifty problems and survives any depth", () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x${index}`, 1]));
    const outcome = checkArgs({}, many);
    expect(outcome.ok ? 0 : outcome.failure.length).toBe(50);
    let deep: Parameters<typeof checkArgs>[1] = {};
    for (let depth = 0; depth < 50_000; depth += 1) deep = { deep };
    expect(checkArgs({ extra: { type: "object", required: true } }, { extra: deep }).ok).toBe(true);
  });
});
