import { describe, expect, it } from "vitest";
import { type Json, LIMITS } from "../base/index.ts";
import { evaluate, evaluateCondition } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import { walk } from "./walk.ts";

const VALUES: Json = {
  long: "a".repeat(600_000),
  other: "a".repeat(599_999) + "b",
  numbers: Array.from({ length: 9_000 }, (_, index) => index),
  many: Array.from({ length: 50_000 }, (_, index) => index),
};

function parse(text: string) {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.failure.message}`);
  return parsed.value.root;
}

function run(text: string) {
  return evaluate(parse(text), (path) => walk(VALUES, path.segments));
}

const codeOf = (text: string): string => {
  const outcome = run(text);
  return outcome.ok ? "fine" : outcome.failure.code;
};

/** A list with one value that is made anew so many times. */
function doubled(times: number, start: string, double: string): string {
  return `${"map(".repeat(times)}[${start}]${`,x=>${double})`.repeat(times)}`;
}

describe("steps", () => {
  it("lets a lambda look at as many elements as a list may have", () => {
    expect(codeOf("count(numbers, x => x > 5)")).toBe("fine");
    expect(codeOf("map(numbers, x => x)")).toBe("fine");
    expect(codeOf("sum(many)")).toBe("fine");
    expect(codeOf("sum(range(0, 100000))")).toBe("fine");
  });

  it.each([
    "map(range(20000), x => x + 1)",
    "map(range(20000), x => 1)",
    "map(range(20000), x => numbers)",
    "map(range(200), x => map(range(200), y => x * y))",
    "range(1000000000)",
    "range(0, 9007199254740991)",
    "all(range(5000), x => all(numbers, y => y >= 0))",
    "sort(flatten(map(range(100), x => numbers)))",
    "count(range(9000), x => contains(numbers, -1))",
    "count(range(9000), x => -1 in numbers)",
    "count(range(9000), x => numbers == map(numbers, y => y))",
  ])("end %s", (text) => {
    expect(run(text)).toEqual({
      ok: false,
      failure: { code: "expression_limit", message: "the expression takes more than 10000 steps" },
    });
  });

  it("are counted for conditions too", () => {
    const outcome = evaluateCondition(parse("any(range(20000), x => x < 0)"), () => undefined);
    expect(!outcome.ok && outcome.failure.code).toBe("expression_limit");
  });

  it("are counted for texts by their length", () => {
    for (const work of [
      "x == other",
      "x < other",
      "contains(x, 'b')",
      "starts_with(x, other)",
      "other in [x]",
      "matches(x, 'b$')",
      "length(x) == 1",
      "hash(x) == ''",
      "x[1:2] == ''",
      "upper(x) == ''",
    ]) {
      expect([work, codeOf(`count(map(range(5000), i => long), x => ${work})`)]).toEqual([work, "expression_limit"]);
    }
    expect(codeOf("sort(map(range(5000), i => i % 2 == 0 ? long : other))")).toBe("expression_limit");
    expect(codeOf("contains(long, long[1:] + 'b')")).toBe("expression_limit");
    expect(codeOf("map(range(5000), i => long + string(i))")).toBe("expression_limit");
    expect(codeOf("matches(long, '(a?){500}b')")).toBe("expression_limit");
    expect(codeOf("matches(long, '((abcdefgh){31}){32}')")).toBe("expression_limit");
    expect(codeOf("matches(long, '(abcdefgh){9}')")).toBe("fine");
    expect(codeOf("count(range(5000), i => matches('a', string(i)))")).toBe("expression_limit");
    expect(codeOf("count(range(10), i => matches('a', string(i) + '((abcdefgh){31}){32}'))")).toBe("expression_limit");
    expect(codeOf("count(numbers, i => matches('a', '^[a-z]+$'))")).toBe("fine");
  });
});

describe("size", () => {
  it.each([
    "long + long",
    doubled(30, "'ab'", "x + x"),
    doubled(20, "[1, 2, 3, 4]", "[x, x]"),
    doubled(20, "{a: 1}", "{a: x, b: x}"),
    doubled(20, "[1]", "flatten([x, x])"),
    `json(${doubled(20, "[1]", "[x, x]")})`,
    `hash(${doubled(20, "[1]", "[x, x]")})`,
    `unique([${doubled(20, "[1]", "[x, x]")}])`,
    `${doubled(9, "[1]", "[x, x, x, x, x, x, x, x, x, x]")} == ${doubled(9, "[1]", "[x, x, x, x, x, x, x, x, x, x]")}`,
    "replace(long, 'a', 'bb')",
    "replace(long, 'a', long)",
    "join([long, long])",
    "join(split(long, 'a'), long)",
    "pad('a', 2000000)",
    "pad('a', 9007199254740991)",
    "map(range(50), i => long)",
    "[long, long]",
    "{a: long, b: long}",
    "url_encode(replace(long, 'a', 'ä'))",
    "base64(long)",
    "parse_json(join(map(range(3000), i => '['), ''))",
  ])("bounds %.60s", (text) => {
    expect(["expression_limit", "expression_error"]).toContain(codeOf(text));
  });

  it("lets a result be as large as it may be and no larger", () => {
    const most = LIMITS.expressionResultBytesMax;
    expect(codeOf(`pad('', ${most / 2})`)).toBe("fine");
    expect(codeOf(`pad('', ${most / 2}) + pad('', ${most / 2})`)).toBe("fine");
    expect(codeOf(`pad('', ${most / 2}) + pad('', ${most / 2}) + 'a'`)).toBe("expression_limit");
    expect(codeOf(`[pad('', ${most / 2 - 4}), pad('', ${most / 2 - 3})]`)).toBe("fine");
    expect(codeOf(`[pad('', ${most / 2 - 3}), pad('', ${most / 2 - 3})]`)).toBe("expression_limit");
  });

  it("hands on a value that was there before, whatever its size", () => {
    const large = "a".repeat(3_000_000);
    expect(evaluate(parse("a"), () => large)).toEqual({ ok: true, value: large });
  });

  it("bounds the depth of what it makes", () => {
    expect(codeOf(doubled(27, "[1]", "[[[[x]]]]"))).toBe("expression_limit");
    expect(codeOf("parse_json(pad('', 100, '[') + pad('', 100, ']'))")).toBe("fine");
    expect(codeOf("parse_json(pad('', 101, '[') + pad('', 101, ']'))")).toBe("expression_limit");
  });
});

describe("numbers", () => {
  it.each([
    "1 / 0",
    "1 % 0",
    "0 / 0",
    "1e308 * 10",
    "-1e308 - 1e308",
    "sum([1e308, 1e308])",
    "number('1' + pad('', 400, '0'))",
  ])("%s is no value", (text) => {
    expect(codeOf(text)).toBe("expression_error");
  });

  it("know no negative zero", () => {
    for (const text of ["0 * -1", "-0", "- 0", "-1 % 1", "round(-0.2)", "ceil(-0.5)", "sum([-0])", "abs(-0)"]) {
      const outcome = run(text);
      expect([text, outcome.ok && Object.is(outcome.value, 0)]).toEqual([text, true]);
    }
  });
});
