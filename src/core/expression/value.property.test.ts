/*
 * The evaluator against an oracle that does not read expressions: every text is generated together with the value it must
 * have, worked out with what JavaScript offers; nothing of the evaluator is used for it.
 */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { evaluate } from "./evaluate.ts";
import type { Argument, Expression } from "./expression.ts";
import { parseExpression } from "./parse.ts";
import { walk } from "./walk.ts";

const VALUES = { n: 7, zero: 0, s: "häß🙂", list: [3, 1, 2], rows: [{ k: "a", v: 1 }, { k: "b" }], nothing: null };

/** A text and the value it has; an error has none. */
type Case<T> = readonly [text: string, value: T | Error];

function lift<A, B, T>(left: Case<A>, right: Case<B>, text: string, value: (left: A, right: B) => T | Error): Case<T> {
  const [, one] = left;
  const [, other] = right;
  if (one instanceof Error) return [text, one];
  return [text, other instanceof Error ? other : value(one, other)];
}

const finite = (value: number): number | Error => (Number.isFinite(value) ? value + 0 : new Error("not a number"));

const { numbers, texts, lists, truths } = fc.letrec<{
  numbers: Case<number>;
  texts: Case<string>;
  lists: Case<readonly number[]>;
  truths: Case<boolean>;
}>((tie) => ({
  numbers: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer({ min: -20, max: 20 }).map((value): Case<number> => [String(value), value]),
    fc.constantFrom<Case<number>>(["n", 7], ["zero", 0], ["rows[0].v", 1], ["list[n - 6]", 1], ["(rows[1].v ?? 4)", 4]),
    fc.tuple(tie("numbers"), fc.constantFrom("+", "-", "*", "/", "%"), tie("numbers")).map(([left, operator, right]) =>
      lift(left, right, `(${left[0]}) ${operator} (${right[0]})`, (one, other): number | Error => {
        if (operator === "+") return finite(one + other);
        if (operator === "-") return finite(one - other);
        if (operator === "*") return finite(one * other);
        return operator === "/" ? finite(one / other) : finite(one % other);
      }),
    ),
    fc
      .tuple(tie("numbers"))
      .map(([one]): Case<number> => [`-(${one[0]})`, one[1] instanceof Error ? one[1] : 0 - one[1]]),
    fc.tuple(tie("texts")).map(([one]) => lift(one, one, `length(${one[0]})`, (text) => Array.from(text).length)),
    fc
      .tuple(tie("lists"))
      .map(([one]) => lift(one, one, `sum(${one[0]})`, (all) => finite(all.reduce((a, b) => a + b, 0)))),
    fc.tuple(tie("truths"), tie("numbers"), tie("numbers")).map(([test, one, other]): Case<number> => {
      const text = `((${test[0]}) ? (${one[0]}) : (${other[0]}))`;
      if (test[1] instanceof Error) return [text, test[1]];
      return [text, test[1] ? one[1] : other[1]];
    }),
  ),
  texts: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Case<string>>(
      ["s", "häß🙂"],
      ["'a b'", "a b"],
      ['""', ""],
      ["rows[1]['k']", "b"],
      ["'b' + \"c\"", "bc"],
    ),
    fc
      .tuple(tie("texts"), tie("texts"))
      .map(([one, other]) => lift(one, other, `(${one[0]}) + (${other[0]})`, (a, b) => a + b)),
    fc.tuple(tie("texts")).map(([one]) => lift(one, one, `upper(${one[0]})`, (text) => text.toUpperCase())),
    fc
      .tuple(tie("texts"), fc.integer({ min: -4, max: 4 }), fc.integer({ min: -4, max: 4 }))
      .map(([one, from, to]) =>
        lift(one, one, `(${one[0]})[${from}:${to}]`, (text) => Array.from(text).slice(from, to).join("")),
      ),
    fc
      .tuple(tie("lists"), tie("texts"))
      .map(([all, one]) => lift(all, one, `join(${all[0]}, ${one[0]})`, (items, text) => items.join(text))),
  ),
  lists: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Case<readonly number[]>>(["list", [3, 1, 2]], ["[]", []], ["range(3)", [0, 1, 2]]),
    fc.tuple(tie("numbers"), tie("numbers")).map(([a, b]) => lift(a, b, `[${a[0]}, ${b[0]}]`, (x, y) => [x, y])),
    fc
      .tuple(tie("lists"), fc.integer({ min: -5, max: 5 }))
      .map(([all, by]) => lift(all, all, `map(${all[0]}, x => x * ${by} + zero)`, (xs) => xs.map((x) => x * by + 0))),
    fc
      .tuple(tie("lists"), fc.integer({ min: -5, max: 5 }))
      .map(([all, than]) =>
        lift(all, all, `filter(${all[0]}, (x, i) => x > ${than} or i == 0)`, (xs) =>
          xs.filter((x, i) => x > than || i === 0),
        ),
      ),
    fc.tuple(tie("lists")).map(([all]) => lift(all, all, `sort(${all[0]})`, (xs) => [...xs].sort((x, y) => x - y))),
    fc.tuple(tie("lists")).map(([all]) => lift(all, all, `reverse(${all[0]})`, (xs) => [...xs].reverse())),
    fc
      .tuple(tie("lists"), tie("lists"))
      .map(([a, b]) => lift(a, b, `flatten([${a[0]}, ${b[0]}])`, (x, y) => [...x, ...y])),
    fc
      .tuple(tie("lists"), fc.integer({ min: -3, max: 3 }))
      .map(([all, from]) => lift(all, all, `(${all[0]})[${from}:]`, (xs) => xs.slice(from))),
  ),
  truths: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Case<boolean>>(
      ["true", true],
      ["false", false],
      ["missing == null", true],
      ["has(rows[0], 'v')", true],
    ),
    fc.tuple(tie("numbers"), tie("numbers")).map(([a, b]) => lift(a, b, `(${a[0]}) < (${b[0]})`, (x, y) => x < y)),
    fc
      .tuple(tie("texts"), tie("texts"))
      .map(([a, b]) => lift(a, b, `contains(${a[0]}, ${b[0]})`, (x, y) => x.includes(y))),
    fc
      .tuple(tie("lists"))
      .map(([all]) => lift(all, all, `all(${all[0]}, x => x >= 0)`, (xs) => xs.every((x) => x >= 0))),
  ),
}));

function check([text, expected]: Case<Json>): void {
  const parsed = parseExpression(text);
  // Only the limits may refuse what the generator writes.
  if (!parsed.ok) return expect(parsed.failure.message).toMatch(/nested deeper|characters/);
  const found = evaluate(parsed.value.root, (path) => walk(VALUES, path.segments));
  if (expected instanceof Error) expect([text, found.ok || found.failure.code]).toEqual([text, "expression_error"]);
  else expect([text, found]).toEqual([text, { ok: true, value: expected }]);
}

describe("the value of an expression", () => {
  it("is what it was worked out to be", () => {
    fc.assert(fc.property(fc.oneof(numbers, texts, lists, truths), check), { numRuns: 3_000 });
  });
});

/** An expression in full brackets, so that it reads back whatever binds to what. */
function print(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return typeof node.value === "string" ? `'${node.value.replaceAll(/['\\]/g, "\\$&")}'` : String(node.value);
    case "path":
      return node.path.text;
    case "local":
      return node.text;
    case "list":
      return `[${node.items.map(print).join(", ")}]`;
    case "object":
      return `{${node.members.map(({ key, value }) => `'${key}': ${print(value)}`).join(", ")}}`;
    case "not":
      return `(!${print(node.operand)})`;
    case "negate":
      return `(- ${print(node.operand)})`;
    case "and":
    case "or":
      return `(${print(node.left)} ${node.kind} ${print(node.right)})`;
    case "coalesce":
      return `(${print(node.left)} ?? ${print(node.right)})`;
    case "compare":
    case "arithmetic":
      return `(${print(node.left)} ${node.operator} ${print(node.right)})`;
    case "in":
      return `(${print(node.value)} in ${print(node.list)})`;
    case "choice":
      return `(${print(node.condition)} ? ${print(node.whenTrue)} : ${print(node.otherwise)})`;
    case "index":
      return `(${print(node.target)})[${print(node.index)}]`;
    case "field":
      return `(${print(node.target)}).${node.name}`;
    case "slice":
      return `(${print(node.target)})[${node.from === null ? "" : print(node.from)}:${node.to === null ? "" : print(node.to)}]`;
    case "call":
      return `${node.name}(${node.args.map(printArgument).join(", ")})`;
  }
}

function printArgument(argument: Argument): string {
  return argument.kind === "lambda"
    ? `(${argument.parameters.join(", ")}) => ${print(argument.body)}`
    : print(argument);
}

/** Without places, which brackets move. */
function bare(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === "position" ? undefined : item)));
}

const PIECES =
  `a b.c[0] x $d.e == < in and or not ?? ? : + - * / % ( ) [ ] { } , 1 -2 'q' true null a['k'] .f [1: :2] [i]
  lower(a) map(a,x=> filter(x, (x,i)=> {k: 'b c': sum([1,2]) => length(`.split(/\s+/);

describe("an expression that parses", () => {
  it("is the same when it is written out in full", () => {
    let read = 0;
    const check = (text: string): void => {
      const parsed = parseExpression(text);
      if (!parsed.ok) return;
      const again = parseExpression(print(parsed.value.root));
      if (!again.ok)
        return expect([text, again.failure.message]).toEqual([text, expect.stringMatching(/nested|characters/)]);
      read += 1;
      expect([text, bare(again.value.root)]).toEqual([text, bare(parsed.value.root)]);
      expect(again.value.paths.map((path) => path.text)).toEqual(parsed.value.paths.map((path) => path.text));
    };
    const loose = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(" "));
    const generated = fc.oneof(numbers, texts, lists, truths).map(([text]) => text);
    fc.assert(fc.property(fc.oneof(loose, generated), check), { numRuns: 4_000 });
    expect(read).toBeGreaterThan(500);
  });
});
