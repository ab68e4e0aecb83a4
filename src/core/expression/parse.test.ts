import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/index.ts";
import type { Argument, Expression } from "./expression.ts";
import { parseExpression } from "./parse.ts";

/** The tree as an S-expression, so that a test can show what binds to what. */
function shape(node: Expression): string {
  switch (node.kind) {
    case "literal":
      return JSON.stringify(node.value);
    case "path":
      return node.path.segments.join("/");
    case "local":
      return [`#${node.slot}`, ...node.segments].join("/");
    case "list":
      return `[${node.items.map(shape).join(" ")}]`;
    case "object":
      return `{${node.members.map(({ key, value }) => `${key}:${shape(value)}`).join(" ")}}`;
    case "not":
      return `(not ${shape(node.operand)})`;
    case "negate":
      return `(- ${shape(node.operand)})`;
    case "compare":
    case "arithmetic":
      return `(${node.operator} ${shape(node.left)} ${shape(node.right)})`;
    case "in":
      return `(in ${shape(node.value)} ${shape(node.list)})`;
    case "and":
    case "or":
      return `(${node.kind} ${shape(node.left)} ${shape(node.right)})`;
    case "coalesce":
      return `(?? ${shape(node.left)} ${shape(node.right)})`;
    case "choice":
      return `(? ${shape(node.condition)} ${shape(node.whenTrue)} ${shape(node.otherwise)})`;
    case "index":
      return `(at ${shape(node.target)} ${shape(node.index)})`;
    case "field":
      return `(. ${shape(node.target)} ${node.name})`;
    case "slice":
      return `(slice ${shape(node.target)} ${boundShape(node.from)} ${boundShape(node.to)})`;
    case "call":
      return `(${[node.name, ...node.args.map(argumentShape)].join(" ")})`;
  }
}

function boundShape(bound: Expression | null): string {
  return bound === null ? "_" : shape(bound);
}

function argumentShape(argument: Argument): string {
  if (argument.kind !== "lambda") return shape(argument);
  return `(${argument.parameters.join(" ")} => ${shape(argument.body)})`;
}

function shapeOf(text: string): string {
  const parsed = parseExpression(text);
  return parsed.ok ? shape(parsed.value.root) : `${parsed.failure.position}: ${parsed.failure.message}`;
}

function problemOf(text: string) {
  const parsed = parseExpression(text);
  if (parsed.ok) throw new Error(`"${text}" parses`);
  return parsed.failure;
}

describe("what parses", () => {
  it.each([
    ["a", "a"],
    ["a.b.c", "a/b/c"],
    ["a.b[0].c", "a/b/0/c"],
    ["a[0][ 1 ]", "a/0/1"],
    ["$step.approved", "step/approved"],
    ["${name} == true", "(== name true)"],
    ["${ name } == 1", "(== name 1)"],
    ["${step.outputs.my-field} == 1", "(== step/outputs/my-field 1)"],
    ["${items}.length > 0", "(> items/length 0)"],
    ["${items}[0].x == 1", "(== items/0/x 1)"],
    ["a.__proto__.constructor", "a/__proto__/constructor"],
    ["größe >= 1", "(>= größe 1)"],
    ["init.outputs.vendor_type in ['saas','paas']", '(in init/outputs/vendor_type ["saas" "paas"])'],
    ["x in[1,2]", "(in x [1 2])"],
    ["x in []", "(in x [])"],
    ["true", "true"],
    ["null == a", "(== null a)"],
    ["-5 < +3.25", "(< -5 3.25)"],
    ["1e3 == 1E-2", "(== 1000 0.01)"],
    ['\'it\\\'s\' == "a \\"b\\""', '(== "it\'s" "a \\"b\\"")'],
    ["'a\\\\b\\n\\t\\r' == ''", '(== "a\\\\b\\n\\t\\r" "")'],
    ["'“quoted”' == x", '(== "“quoted”" x)'],
    ["\ta\n==\r\n1 ", "(== a 1)"],
    ["a==1&&b!=2||!c", "(or (and (== a 1) (!= b 2)) (not c))"],
    ["[a, [b], not c]", "[a [b] (not c)]"],
    ["a + 1 > 2", "(> (+ a 1) 2)"],
    ["a -1 > 2", "(> (- a 1) 2)"],
    ["a-b > -2", "(> (- a b) -2)"],
    ["-a == - 1", "(== (- a) (- 1))"],
    ["1 - -1", "(- 1 -1)"],
    ["a - b - c", "(- (- a b) c)"],
    ["a + b * c % d / -e", "(+ a (/ (% (* b c) d) (- e)))"],
    ["(a + b) * c", "(* (+ a b) c)"],
    ["a ?? b ?? 0", "(?? a (?? b 0))"],
    ["a or b ?? c and d", "(?? (or a b) (and c d))"],
    ["a ? b : c", "(? a b c)"],
    ["a ?? b ? c + 1 : d ? e : f", "(? (?? a b) (+ c 1) (? d e f))"],
    ["a ? b ? c : d : e", "(? a (? b c d) e)"],
    ["a ?-1:+2", "(? a -1 2)"],
    ["{}", "{}"],
    ["{a: x, 'b c': 1, \"d\": [2], in: {not: null}, true: 3}", "{a:x b c:1 d:[2] in:{not:null} true:3}"],
    ["{a: 1} == b", "(== {a:1} b)"],
    ['a["__proto__"]', "a/__proto__"],
    ["a['b c'][0].d", "a/b c/0/d"],
    ["a[-1]", "(at a -1)"],
    ["a[b].c[0]", "(at (. (at a b) c) 0)"],
    ["a[b ? 1 : 2]", "(at a (? b 1 2))"],
    ["a.b[i + 1]", "(at a/b (+ i 1))"],
    ["a[1:3]", "(slice a 1 3)"],
    ["a[:3]", "(slice a _ 3)"],
    ["a[n:]", "(slice a n _)"],
    ["a[ : ][0]", "(at (slice a _ _) 0)"],
    ["a[b ? 1 : 2 : 3]", "(slice a (? b 1 2) 3)"],
    ["[1, 2][0]", "(at [1 2] 0)"],
    ["(a).b", "(. a b)"],
    ["'abc'.length", '(. "abc" length)'],
    ["{a: 1}.a", "(. {a:1} a)"],
    ["lower(a).length > 1", "(> (. (lower a) length) 1)"],
    ["upper (a)", "(upper a)"],
    ["min(1, a, 3)", "(min 1 a 3)"],
    ["map(a, x => x.price * n)", "(map a (x => (* #0/price n)))"],
    ["map(a, x => x['b c'][0])", "(map a (x => #0/b c/0))"],
    ["map(a, (x, i) => [x, i])", "(map a (x i => [#0 #1]))"],
    ["map(a, (x) => x)", "(map a (x => #0))"],
    ["map(a, x => map(x, y => x + y))", "(map a (x => (map #0 (y => (+ #0 #1)))))"],
    ["map(a, x => map(x, x => x)) == x", "(== (map a (x => (map #0 (x => #1)))) x)"],
    ["map(a, x => ${x.b} + $x.c)", "(map a (x => (+ #0/b #0/c)))"],
    ["map(a, x => x ? 1 : 2)", "(map a (x => (? #0 1 2)))"],
    ["count.length == count", "(== count/length count)"],
    ["count(count) == 1", "(== (count count) 1)"],
    ["not contains(a, 'b') and c", '(and (not (contains a "b")) c)'],
    // A word followed by a dot is the head of a path, whatever the word.
    ["in.outputs.x == not.y", "(== in/outputs/x not/y)"],
    ["a.in.not.true", "a/in/not/true"],
    ["$and.approved and ${or.x}", "(and and/approved or/x)"],
    ["notify or android", "(or notify android)"],
  ])("%s", (text, expected) => {
    expect(shapeOf(text)).toBe(expected);
  });

  it("binds ! before comparison before not before and before or", () => {
    expect(shapeOf("a or b and !c == d")).toBe("(or a (and b (== (not c) d)))");
    expect(shapeOf("a or b and not c == d")).toBe("(or a (and b (not (== c d))))");
    expect(shapeOf("not a in [1] and not not b")).toBe("(and (not (in a [1])) (not (not b)))");
    expect(shapeOf("(a or b) and not (c == d)")).toBe("(and (or a b) (not (== c d)))");
  });

  it("lets chains lean to the right", () => {
    expect(shapeOf("a and b and c or d or e")).toBe("(or (and a (and b c)) (or d e))");
  });

  it("reads words and symbols alike", () => {
    expect(shapeOf("not a and b or c")).toBe(shapeOf("!a && b || c"));
  });

  it("lists every path in order, as written and with its place", () => {
    const parsed = parseExpression("$gate.approved and a.b == ${ a.b }");
    expect(parsed.ok && parsed.value.paths).toEqual([
      { text: "$gate.approved", segments: ["gate", "approved"], position: 0 },
      { text: "a.b", segments: ["a", "b"], position: 19 },
      { text: "${ a.b }", segments: ["a", "b"], position: 26 },
    ]);
  });
});

describe("what does not parse", () => {
  it.each([
    ["", 0, "empty"],
    ["  ", 0, "empty"],
    ["a = 1", 2, "cannot assign"],
    ["a=1", 1, "cannot assign"],
    ["a === 1", 2, "==="],
    ["a !== 1", 2, "!=="],
    ["a <> 1", 2, "<>"],
    ["a => 1", 2, '"=>" is not an operator'],
    ["a ~ 3", 2, "patterns"],
    ["a =~ 'x'", 2, "patterns"],
    ["a ** 2", 2, "**"],
    ["a // 2", 2, "//"],
    ["a?.b", 1, "?."],
    ["[...a]", 1, "..."],
    ["a & b", 2, "&"],
    ["a | b", 2, "|"],
    ["a +", 3, "ends where a value"],
    ["+a", 0, "where a value"],
    ["a * * b", 4, "where a value"],
    ["a ?? ", 5, "ends where a value"],
    ["a ? b", 2, 'no ":"'],
    ["a ? : c", 4, "where a value"],
    ["a : c", 2, 'no "?"'],
    ["a ? b : c : d", 10, 'no "?"'],
    ["{a: 1, a: 2}", 7, "stands twice"],
    ["{a: 1", 0, "never closed"],
    ["{a}", 2, 'the ":" behind a key'],
    ["{a.b: 1}", 1, "where a key"],
    ["{1: 2}", 1, "where a key"],
    ["{a-b: 2}", 2, 'the ":" behind a key'],
    ["{a: 1,}", 6, "where a key"],
    ["}", 0, "where a value"],
    ["a}", 1, "closes nothing"],
    ["map(a)", 0, "takes 2 arguments, and 1 is given"],
    ["lower()", 0, "takes 1 argument, and 0 are given"],
    ["round(1, 2, 3)", 0, "takes 1 to 2 arguments"],
    ["lower(a, b)", 0, "takes 1 argument"],
    ["lower(a b)", 8, "where an operator"],
    ["lower(a", 5, "never closed"],
    ["lower(a,)", 8, "where a value"],
    ["map(a, b)", 7, "takes a lambda"],
    ["lower(x => x)", 6, "takes no lambda"],
    ["map(a, (x, y, z) => 1)", 7, "at most 2 names"],
    ["map(a, (x, x) => 1)", 7, "two things at once"],
    ["map(a, x.y => 1)", 7, "takes a lambda"],
    ["map(a, () => 1)", 7, "takes a lambda"],
    ["(x => x)", 3, '"=>" is not an operator'],
    ["[x => x]", 3, '"=>" is not an operator'],
    ["map(a, x => y => y)", 14, '"=>" is not an operator'],
    ["a.lower()", 0, "cannot be called"],
    ["$lower(a)", 0, "cannot be called"],
    ["${lower}(a)", 0, "cannot be called"],
    ["lenght(a)", 0, 'no function "lenght"'],
    ["matches(a, '(')", 11, "pattern cannot be used"],
    ["matches(a, '(?=x)')", 11, "look-ahead"],
    ["a [0]", 2, "where an operator"],
    ["a .b", 2, "where an operator"],
    ["a[1:2:3]", 5, "index"],
    ["a[1", 1, "never closed"],
    ["`x` == a", 0, "template texts"],
    ["“x” == a", 0, "quotation mark"],
    ["a == b == c", 7, "chained"],
    ["1 < a < 3", 6, "chained"],
    ["a in b in c", 7, "chained"],
    ["process.exit()", 0, "cannot be called"],
    ["size(a) > 0", 0, "no function"],
    ["x.constructor.constructor('return 1')()", 0, "cannot be called"],
    ["a[“__proto__”]", 2, "quotation mark"],
    ["a[1.5]", 1, "index"],
    ["a[]", 1, "index"],
    ["a[99999999999999999999]", 1, "index"],
    ["a.0", 2, "name is expected"],
    ["a..b", 2, "name is expected"],
    ["a.", 2, "ends where a name"],
    [".a", 0, "starts with a name"],
    [".5 < a", 0, "starts with a name"],
    ["$", 1, "ends where a name"],
    ["$5 == a", 1, "name is expected"],
    ["${} == a", 0, "is empty"],
    ["${a", 0, "never closed"],
    ["${", 0, "never closed"],
    ["${a b}", 4, "cannot contain"],
    ["${a:-b}", 3, "cannot contain"],
    ["${$a.b}", 2, "name is expected"],
    ["0x10 == a", 0, "not a number"],
    ["007 == a", 0, "not a number"],
    ["1_000 == a", 0, "not a number"],
    ["5. == a", 0, "not a number"],
    ["1.2.3", 0, "not a number"],
    ["5abc", 0, "not a number"],
    ["1e == a", 0, "not a number"],
    ["1e999 > a", 0, "too large"],
    ["'abc", 0, "never closed"],
    ["'abc\\", 0, "never closed"],
    ["'a\\x41'", 2, "not an escape"],
    ["a b", 2, "where an operator"],
    ["a 5", 2, "where an operator"],
    ["a 'x'", 2, "where an operator"],
    ["a not in b", 2, "between two values"],
    ["a == True", 5, "True"],
    ["a AND b", 2, "AND"],
    ["None == a", 0, "None"],
    ["a ==", 4, "ends where a value"],
    ["== a", 0, "where a value"],
    ["a and", 5, "ends where a value"],
    ["and", 0, "where a value"],
    ["not", 3, "ends where a value"],
    ["a or and b", 5, "where a value"],
    ["(a", 0, "never closed"],
    ["(a b)", 3, "where an operator"],
    ["a)", 1, "closes nothing"],
    ["()", 1, "where a value"],
    ["[1, 2", 0, "never closed"],
    ["[1, ]", 4, "where a value"],
    ["[1 2]", 3, "where an operator"],
    ["a]", 1, "closes nothing"],
    ["a; b", 1, "no meaning"],
    ["a # b", 2, "no meaning"],
    ["😀", 0, "😀"],
    ["a\u0000", 1, "no meaning"],
  ])("%s", (text, position, message) => {
    const problem = problemOf(text);
    expect(problem.message).toContain(message);
    expect(problem.position).toBe(position);
  });

  it.each([
    ["a = 1", "use == to compare"],
    ["size(a) > 0", 'Did you mean "length"?'],
    ["lenght(a)", 'Did you mean "length"?'],
    ["now()", "expressions have no clock; use run.started_at"],
    ["a.b.toUpperCase()", "write upper(a.b, …)"],
    ["{a}", "write {a: a}"],
    ["map(a)", "write map(list, x => …)"],
    ["a.0", "write [0] for an element of a list"],
    ["True", "write true, or ${True} for a variable of that name"],
    ["a not in b", "write not (a in b), or a != b"],
    ["1 < a < 3", "join them with and, as in a < b and b < c, or use parentheses"],
  ])("%s says how to fix it", (text, hint) => {
    expect(problemOf(text).hint).toBe(hint);
  });
});

/** An expression of exactly this many characters. */
function longText(size: number): string {
  return `a == '${"x".repeat(size - "a == ''".length)}'`;
}

describe("limits", () => {
  const { expressionLengthMax: length, expressionDepthMax: depth } = LIMITS;

  it("takes an expression of the longest length and none that is longer", () => {
    expect(shapeOf(longText(length - 1))).toContain("(== a");
    expect(shapeOf(longText(length))).toContain("(== a");
    expect(problemOf(longText(length + 1))).toMatchObject({ position: length });
    expect(problemOf(longText(length + 1)).message).toContain("1025 characters");
  });

  it.each([
    ["parentheses", (count: number) => "(".repeat(count) + "a" + ")".repeat(count)],
    ["lists", (count: number) => "[".repeat(count) + "a" + "]".repeat(count)],
    ["not", (count: number) => "not ".repeat(count) + "a"],
    ["!", (count: number) => "!".repeat(count) + "a"],
    ["parentheses in a chain", (count: number) => "b and (".repeat(count) + "a" + ")".repeat(count)],
    ["a mixture", (count: number) => "(!".repeat(count / 2) + "a" + ")".repeat(count / 2)],
    ["objects", (count: number) => "{a:".repeat(count) + "a" + "}".repeat(count)],
    ["minus", (count: number) => "- ".repeat(count) + "a"],
    ["calls", (count: number) => "lower(".repeat(count) + "a" + ")".repeat(count)],
    ["indices", (count: number) => "a[".repeat(count) + "a" + "]".repeat(count)],
    ["lambdas", (count: number) => "map(a,x=>".repeat(count) + "x" + ")".repeat(count)],
    ["choices", (count: number) => "a?".repeat(count) + "a" + ":b".repeat(count)],
  ])("nests %s 32 deep and no deeper", (_name, nest) => {
    expect(parseExpression(nest(depth - 2)).ok).toBe(true);
    expect(parseExpression(nest(depth)).ok).toBe(true);
    expect(problemOf(nest(depth + 2)).message).toContain("nested deeper than 32");
  });

  it("refuses the 33rd level exactly", () => {
    expect(problemOf("(".repeat(33) + "a" + ")".repeat(33))).toMatchObject({ position: 32 });
    expect(problemOf("!".repeat(33) + "a")).toMatchObject({ position: 32 });
    const lambdas = (count: number): string => "map(a,x=>".repeat(count) + "x" + ")".repeat(count);
    expect(parseExpression(lambdas(32)).ok).toBe(true);
    expect(problemOf(lambdas(33)).message).toContain("nested deeper than 32");
    expect(parseExpression("(a) and ".repeat(40) + "(a)").ok).toBe(true);
  });

  it("takes chains as long as the text may be", () => {
    expect(parseExpression("a&&".repeat(340) + "a").ok).toBe(true);
    expect(parseExpression("a||".repeat(340) + "a").ok).toBe(true);
    expect(parseExpression("a??".repeat(340) + "a").ok).toBe(true);
    expect(parseExpression("a+".repeat(511) + "a").ok).toBe(true);
    expect(parseExpression("a?b:".repeat(255) + "a").ok).toBe(true);
    expect(parseExpression("f[0]".repeat(1) + "[a]".repeat(340)).ok).toBe(true);
  });

  it.each(["(", "[", "{", "{a:", "-", "!", "map(a,x=>", "a?", "a[", "'", "${"])("refuses 100,000 of %s", (piece) => {
    expect(problemOf(piece.repeat(100_000)).message).toContain("characters");
    expect(parseExpression(piece.repeat(Math.floor(length / piece.length))).ok).toBe(false);
  });
});
