import { describe, expect, it } from "vitest";
import type { Json, Outcome } from "../base/index.ts";
import { evaluate, evaluateCondition } from "./evaluate.ts";
import type { ExpressionFailure, ResolvePath } from "./expression.ts";
import { parseExpression } from "./parse.ts";
import { walk } from "./walk.ts";

const VALUES: Json = {
  n: 5,
  t: "b",
  yes: true,
  no: false,
  nothing: null,
  empty: "",
  list: ["a", 1, null, [2]],
  object: { x: 1, y: [true], length: 7 },
  same: { y: [true], x: 1, length: 7 },
  verdict: "APPROVED - all checks passed",
  words: "🙂🙂",
};

const resolve: ResolvePath = (path) => walk(VALUES, path.segments);

function run(text: string, from: ResolvePath = resolve): Outcome<Json | undefined, ExpressionFailure> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return evaluate(parsed.value.root, from);
}

function condition(text: string): Outcome<boolean, ExpressionFailure> {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return evaluateCondition(parsed.value.root, resolve);
}

const TRUE = `
n == 5; n != 6; n > 4; n >= 5; n < 6; n <= 5; n == 5.0; -1 < n; -0 == 0
t == 'b'; t != 'B'; t > 'a'; t >= 'b'; t < 'c'; t <= 'b'; 'Z' < 'a'; 'a' < 'ä'; '10' < '9'; '' < 'a'
yes == true; yes != no; no == false
list == ['a', 1, null, [2]]; list != ['a', 1, null]; object == same; list.length == 4; [] == []; [missing] == [null]
object.length == 7; words.length == 2; empty.length == 0; object.y[0] == true; list[3][0] == 2
missing == null; null == missing; missing == nothing; nothing == null; null == null; missing == other
missing != 'x'; missing != 5; missing != true; missing != []; nothing != 'x'; 'x' != missing; 'x' != null
missing.length == null; missing.a[0].b == null; n.length == null; nothing.length == null; object.y.z == null
object.constructor == null; list.constructor == null; t.constructor == null; object.__proto__ == null
n in [1, 5]; t in ['a', 'b']; 2 in list[3]; null in list; nothing in [null]; [2] in list; yes in [true]; 'a' in list
verdict in ['APPROVED', 'REJECTED']; ' b ' in ['b']; 'x' in ['y', 1, 'x']; n in ['5', 5]
yes and yes; yes or no; not no; not missing; not nothing; yes and not missing; missing or yes; no or missing or yes
no == false and n in [5]; not (n == 6); !no && !missing; not yes == no; not not yes
`;
const FALSE = `
n == 6; n > 5; t == 'a'; yes == no; yes and no; no or no; not yes; 'b' == ' b'
missing == 'x'; missing == 5; missing == true; missing == []; nothing == 'x'; missing != null; missing != nothing
missing > 1; missing < 1; missing >= 1; missing <= 1; 1 > missing; 'a' < missing; missing < other; null <= null
nothing > 1; nothing <= null; true < missing; [] < missing
missing in ['x']; missing in [null]; missing in list; n in missing; n in nothing; n in []; missing in missing
n in ['5']; t in ['bb']; verdict in ['APPROV', 'APPROVED -- no']; '5' in [5]; yes in ['true']
missing and yes; yes and missing; missing or no; nothing or nothing; missing; nothing; null; no
`;
/** Each with the piece of the message that names the trouble. */
const FAULTS: readonly (readonly [string, string])[] = [
  ["n == 't'", 'n is a number and "t" is text: == compares values of one kind'],
  ["n != t", "n is a number and t is text: != compares values of one kind"],
  ["n > '4'", "> compares values of one kind"],
  ["t >= 1", ">= compares values of one kind"],
  ["yes < 1", "< compares values of one kind"],
  ["t <= true", "<= compares values of one kind"],
  ["yes == 'true'", 'yes is a boolean and "true" is text'],
  ["yes == 1", "yes is a boolean and 1 is a number"],
  ["list == 'a'", 'list is a list and "a" is text'],
  ["list == object", "list is a list and object is an object"],
  ["empty == 0", "empty is text and 0 is a number"],
  ["yes < no", "< orders numbers or texts, but yes is a boolean"],
  ["list > []", "> orders numbers or texts, but list is a list"],
  ["object <= same", "<= orders numbers or texts, but object is an object"],
  ["n in 'text'", 'in looks into a list, but "text" is text'],
  ["t in t", "in looks into a list, but t is text"],
  ["t in object", "in looks into a list, but object is an object"],
  ["missing in 5", "in looks into a list, but 5 is a number"],
  ["n and yes", "and takes true or false, but n is a number"],
  ["yes and n", "and takes true or false, but n is a number"],
  ["no or t", "or takes true or false, but t is text"],
  ["not t", "not takes true or false, but t is text; to negate a comparison write not (…)"],
  ["!n in [1]", "not takes true or false, but n is a number; to negate a comparison write not (…)"],
  ["not list", "list is a list"],
  ["empty or yes", "empty is text"],
  ["[1, n == 't'] == []", "n is a number"],
  ["(n == 't') == true", "n is a number"],
  ["true == (n == 't')", "n is a number"],
  ["(n == 't') in list", "n is a number"],
  ["1 in [n == 't']", "n is a number"],
  ["(n == 't') or yes", "n is a number"],
];

const split = (block: string) => block.split(/;|\n/).flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));

describe("evaluateCondition", () => {
  it.each(split(TRUE))("%s holds", (text) => {
    expect(condition(text)).toEqual({ ok: true, value: true });
  });

  it.each(split(FALSE))("%s does not hold", (text) => {
    expect(condition(text)).toEqual({ ok: true, value: false });
  });

  it.each(FAULTS)("%s is a failure", (text, message) => {
    const outcome = condition(text);
    expect(outcome.ok).toBe(false);
    expect(!outcome.ok && outcome.failure.message).toContain(message);
  });

  it.each([
    ["n", "a condition takes true or false, but n is a number; compare it with something"],
    ["'true'", 'a condition takes true or false, but "true" is text'],
    ["list", "list is a list"],
    ["[]", "[…] is a list"],
    ["empty", "empty is text"],
    ["0", "0 is a number"],
  ])("%s is no condition", (text, message) => {
    const outcome = condition(text);
    expect(!outcome.ok && outcome.failure.message).toContain(message);
  });

  it("never shows a value in a message", () => {
    const outcome = condition("verdict == 5");
    expect(!outcome.ok && outcome.failure.message).not.toContain("APPROVED");
  });
});

describe("evaluate", () => {
  it.each([
    ["n", 5],
    ["list", ["a", 1, null, [2]]],
    ["[n, t, missing]", [5, "b", null]],
    ["null", null],
    ["missing", undefined],
    ["n == 5", true],
    ["missing and yes", false],
  ])("%s", (text, value) => {
    expect(run(text)).toEqual({ ok: true, value });
  });

  it.each([
    ["yes or boom", ["yes"]],
    ["no and boom", ["no"]],
    ["missing and boom", ["missing"]],
    ["no or no or yes or boom", ["no", "no", "yes"]],
    ["yes and no and boom or no", ["yes", "no", "no"]],
  ])("%s asks for no more than it needs", (text, asked) => {
    const paths: string[] = [];
    const outcome = run(text, (path) => {
      paths.push(path.text);
      return resolve(path);
    });
    expect(outcome.ok).toBe(true);
    expect(paths).toEqual(asked);
  });

  it("does not look at the right of a decided chain, whatever it is", () => {
    expect(run("yes or 5")).toEqual({ ok: true, value: true });
    expect(run("no and 'x'")).toEqual({ ok: true, value: false });
  });

  it("walks the longest chains without deep calls", () => {
    expect(run("yes&&".repeat(200) + "no")).toEqual({ ok: true, value: false });
    expect(run("no||".repeat(250) + "yes")).toEqual({ ok: true, value: true });
  });

  it("compares values nested deeper than calls can be", () => {
    let deep: Json = [];
    let other: Json = [];
    for (let level = 0; level < 50_000; level += 1) {
      deep = [deep];
      other = { x: other };
    }
    const from: ResolvePath = (path) => (path.text === "other" ? other : deep);
    expect(run("a == b", from)).toEqual({ ok: true, value: true });
    expect(run("other == other and a in [b]", from)).toEqual({ ok: true, value: true });
    expect(run("[a] == a", from)).toEqual({ ok: true, value: false });
  });
});
