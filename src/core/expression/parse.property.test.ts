import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { evaluate, evaluateCondition } from "./evaluate.ts";
import type { ResolvePath } from "./expression.ts";
import { ANY } from "./known.ts";
import { parseExpression } from "./parse.ts";
import { parsePath } from "./path.ts";
import { findTypeMismatch } from "./type-mismatch.ts";
import { walk } from "./walk.ts";

const VALUES: Json = { a: 1, b: "b", c: true, d: [1, "b", { e: null }], f: { length: 2 } };

const resolve: ResolvePath = (path) => walk(VALUES, path.segments);

/** Parses, and evaluates what parses: whatever happens is an outcome. */
function survive(text: string): void {
  const parsed = parseExpression(text);
  if (!parsed.ok) {
    expect(parsed.failure.message).not.toBe("");
    expect(parsed.failure.position).toBeGreaterThanOrEqual(0);
    expect(parsed.failure.position).toBeLessThanOrEqual(text.length);
    return;
  }
  const { root, paths } = parsed.value;
  for (const path of paths) expect(text.slice(path.position, path.position + path.text.length)).toBe(path.text);
  const value = evaluate(root, resolve);
  const condition = evaluateCondition(root, resolve);
  if (!value.ok) expect(condition.ok).toBe(false);
  // Kinds known early must agree with what the values show later, wherever the evaluation gets that far.
  if (value.ok && paths.length === 0 && !/and|or|&|\||\?|=>/.test(text)) {
    expect(findTypeMismatch(root, () => ANY)?.code).not.toBe("type_mismatch");
  }
}

const PIECES =
  `a b.c d[0] d[2].e f.length $a.b \${a} \${ d[1] }.x missing == != > >= < <= = in and or not && || ! ( ) [ ] ,
  1 -1 0.5 1e3 'b' "b" true false null . $ \${ } ' " \\ + - * / % ? : ?? => { } \`
  __proto__ constructor True x( [-1] [1:2] [a] .length {a: lower( map(d, x=> (x,i)=> join( range(9) parse_json(`.split(
    /\s+/,
  );

describe("any text", () => {
  it("gives an outcome and never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), survive), { numRuns: 2_000 });
  });

  it("made of the pieces of the language gives an outcome", () => {
    const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(" "));
    fc.assert(fc.property(texts, survive), { numRuns: 4_000 });
  });

  it("made of the pieces without spaces gives an outcome", () => {
    const texts = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(fc.property(texts, survive), { numRuns: 2_000 });
  });

  it("is a path or a problem", () => {
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(fc.constantFrom(...PIECES)).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parsePath(text);
        if (parsed.ok) expect(text.trim()).toBe(parsed.value.text);
        else expect(parsed.failure.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("texts that mean harm", () => {
  it.each([
    "a.constructor.constructor('return process')()",
    "''.constructor.constructor('x')()",
    "[].map.constructor('x')()",
    "__proto__",
    "__proto__.polluted == true",
    "constructor.prototype",
    "a['__proto__']",
    "this",
    "globalThis.process",
    "process.env.HOME",
    "(()=>{while(true){}})()",
    "eval('1')",
    "`${a}`",
    "a; drop",
    "${a",
    "${${a}}",
    "$",
    "$$a.b",
    "\u0000",
    "\ud800",
    "a\u2028== 1",
    "(".repeat(512) + ")".repeat(512),
    "[".repeat(1_024),
    "!".repeat(1_024),
    "not ".repeat(256),
    "a.".repeat(512),
    "a[0]".repeat(256),
    "'".repeat(1_023),
    "\\".repeat(100),
    "9".repeat(1_024),
    `1e${"9".repeat(1_000)}`,
    "-".repeat(1_024),
    `a${" ".repeat(1_022)}`,
    "(".repeat(100_000),
    "a and ".repeat(100_000),
    "map(d,x=>".repeat(100),
    `${"map(d,x=>".repeat(33)}x${")".repeat(33)}`,
    "a?".repeat(512),
    "a?b:".repeat(250) + "c",
    "{a:".repeat(341),
    "d" + "[0:]".repeat(255),
    "a+".repeat(511) + "a",
    "-".repeat(500) + "a",
    "lower(".repeat(170),
    "x => x",
    "map(d, map)",
    "map(d, x => x => x)",
    "{__proto__: 1}.a",
    "{'__proto__': {polluted: true}}.polluted",
    'merge({}, parse_json(\'{"__proto__": {"polluted": true}}\')).polluted',
    "get(d, 'constructor.constructor')",
    "matches(b, '(a+)+$')",
    "matches(b, '((a{1,100}){1,10})')",
    "constructor(1)",
    "toString()",
    "hasOwnProperty('a')",
  ])("%.40s", (text) => {
    survive(text);
    parsePath(text);
  });

  it("reach nothing that the values do not own", () => {
    for (const text of [
      "__proto__",
      "constructor.prototype",
      "this",
      "globalThis.process",
      "a.toString.name",
      "{__proto__: {x: 1}}.x",
      "f['constructor']",
      "f['con' + 'structor']",
      "get(f, '__proto__')",
      "get(f, 'constructor.name')",
    ]) {
      const parsed = parseExpression(text);
      const value = parsed.ok && evaluate(parsed.value.root, resolve);
      expect(value).toEqual({ ok: true, value: undefined });
    }
  });
});
