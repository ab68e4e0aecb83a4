import { describe, expect, it } from "vitest";
import type { Json } from "../../base/index.ts";
import { evaluate } from "../evaluate.ts";
import { parseExpression } from "../parse.ts";
import { walk } from "../walk.ts";
import { FUNCTION_NAMES, FUNCTIONS, signatureOf } from "./index.ts";

const VALUES: Json = {
  n: 5,
  t: "b",
  nothing: null,
  smile: "a🙂b",
  deep: JSON.parse('{"__proto__": {"x": 1}, "a": {"b": [10, 20]}, "a.b": "exact"}') as Json,
  rows: [
    { id: 1, team: "x", price: 12.5 },
    { id: 2, team: "y", price: 3 },
    { id: 3, team: "x" },
  ],
};

function run(text: string): Json | undefined {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.failure.message}`);
  const outcome = evaluate(parsed.value.root, (path) => walk(VALUES, path.segments));
  return outcome.ok ? outcome.value : `${outcome.failure.code}: ${outcome.failure.message}`;
}

/** The closed list of the language. */
const NAMES = `
  lower upper trim split join replace contains starts_with ends_with matches substring pad length
  round floor ceil abs min max sum avg number
  map filter find any all sort sort_by unique group_by flatten reverse first last take skip zip range count index_of
  keys values entries merge pick omit has get
  string bool json parse_json type coalesce hash base64 url_encode
  date_add date_diff date_format date_parse`;

describe("the table", () => {
  it("has every function of the language and no other", () => {
    expect([...FUNCTION_NAMES]).toEqual(NAMES.trim().split(/\s+/));
  });

  it.each(Object.values(FUNCTIONS).flat())("$name does what its example says", (entry) => {
    expect(entry.example).toContain(`${entry.name}(`);
    expect(run(entry.example)).toEqual(entry.gives);
    expect(entry.about).toMatch(/^[A-Z`][^]*\.$/);
    expect(entry.about).not.toContain("\n");
    expect(signatureOf(entry).startsWith(`${entry.name}(`)).toBe(true);
  });
});

const CASES: readonly (readonly [string, Json | undefined])[] = [
  ["lower('ÄÖ')", "äö"],
  ["upper('straße')", "STRASSE"],
  ["trim('\\n\\t a ')", "a"],
  ["split(smile, '')", ["a", "🙂", "b"]],
  ["split('', ',')", [""]],
  ["split('a', 'ab')", ["a"]],
  ["join([])", ""],
  ["join([1, null, 'a', [2], {b: 3}])", '1,,a,[2],{"b":3}'],
  ["replace('aaa', 'a', 'aa')", "aaaaaa"],
  ["replace('a.b', '.', '$&')", "a$&b"],
  ["contains([1, [2]], [2])", true],
  ["contains([1, 2], '1')", false],
  ["contains('abc', '')", true],
  ["contains([null], nothing)", true],
  ["starts_with('a', 'ab')", false],
  ["ends_with('', '')", true],
  ["matches('abc', 'b')", true],
  ["matches('abc', '^b')", false],
  ["matches('ABC', '(?i)b')", true],
  ["substring(smile, 1)", "🙂b"],
  ["substring(smile, 1, 2)", "🙂"],
  ["substring('abc', -2)", "bc"],
  ["substring('abc', 2, 1)", ""],
  ["substring('abc', 0, 99)", "abc"],
  ["pad('a', 3)", "  a"],
  ["pad('a', 3, '-', 'right')", "a--"],
  ["pad('abc', 2)", "abc"],
  ["pad('a', 4, 'xy')", "xyxa"],
  ["pad(smile, 5, '🙂')", "🙂🙂a🙂b"],
  ["length(smile)", 3],
  ["length([])", 0],
  ["length({a: 1})", 1],
  ["round(2.5)", 3],
  ["round(-2.5)", -3],
  ["round(-0.4)", 0],
  ["round(1.005, 2)", 1.01],
  ["round(1e-7, 3)", 0],
  ["round(123456789012345680000, 2)", 123456789012345680000],
  ["round(0.1 + 0.2, 10)", 0.3],
  ["ceil(-0.5)", 0],
  ["min(3, 1)", 1],
  ["min([])", null],
  ["max(['b', 'a'])", "b"],
  ["max(4)", 4],
  ["sum([])", 0],
  ["sum(map(rows, x => x.price ?? 0))", 15.5],
  ["avg([])", null],
  ["number('-1.5')", -1.5],
  ["number(7)", 7],
  ["number('.5')", 0.5],
  ["map([], x => x.a.b)", []],
  ["map(['a'], (x, i) => i)", [0]],
  ["map(rows, x => x.price)", [12.5, 3, null]],
  ["filter(rows, x => x.team == 'x' and x.id > 1)", [{ id: 3, team: "x" }]],
  ["filter([1], x => nothing)", []],
  ["find([1, 2], x => x > 5)", null],
  ["any([], x => true)", false],
  ["all([], x => false)", true],
  ["sort(['b', 'B', 'a'])", ["B", "a", "b"]],
  ["sort([2, null, 10, 1])", [1, 2, 10, null]],
  ["sort([])", []],
  ["map(sort_by(rows, x => x.price), x => x.id)", [2, 1, 3]],
  ["map(sort_by(rows, x => x.team), x => x.id)", [1, 3, 2]],
  ["unique([1, '1', 1, {a: 1, b: 2}, {b: 2, a: 1}, null, null])", [1, "1", { a: 1, b: 2 }, null]],
  ["map(unique(rows, x => x.team), x => x.id)", [1, 2]],
  ["keys(group_by(rows, x => x.team))", ["x", "y"]],
  ["group_by([1, 2, 3], x => x % 2)", { "0": [2], "1": [1, 3] }],
  ["group_by([1], x => '__proto__')['__proto__']", [1]],
  ["flatten([])", []],
  ["reverse(smile)", "b🙂a"],
  ["first([])", null],
  ["last([null])", null],
  ["take([1, 2], 9)", [1, 2]],
  ["take([1, 2], -1)", []],
  ["skip([1, 2], 0)", [1, 2]],
  ["skip([1, 2], -1)", [1, 2]],
  ["zip([1, 2], ['a'])", [[1, "a"]]],
  ["zip([1])", [[1]]],
  ["range(3)", [0, 1, 2]],
  ["range(3, 0, -1)", [3, 2, 1]],
  ["range(0, 5, 2)", [0, 2, 4]],
  ["range(2, 2)", []],
  ["range(5, 1)", []],
  ["count([1, 2])", 2],
  ["index_of('a🙂b', 'b')", 2],
  ["index_of([1, 2], 3)", -1],
  ["index_of([[1], {a: 2}], {a: 2})", 1],
  ["values({})", []],
  ["keys(deep)", ["__proto__", "a", "a.b"]],
  ["merge({a: 1})", { a: 1 }],
  ["merge({}, deep).a.b[1]", 20],
  ["pick({a: 1}, 'b')", {}],
  ["pick({a: 1, b: 2}, ['a', 'b'])", { a: 1, b: 2 }],
  ["omit({a: 1, b: 2}, 'a', 'b')", {}],
  ["has(nothing, 'a')", false],
  ["has({}, 'constructor')", false],
  ["get(deep, 'a.b')", "exact"],
  ["get(deep, 'a.b[1]')", 20],
  ["get(deep, 'constructor', 1)", 1],
  ["get(deep, '__proto__.x')", 1],
  ["get([1, 2], -1)", 2],
  ["get([1], 4)", undefined],
  ["get(missing, 'a', 'x')", "x"],
  ["get({a: null}, 'a', 'x')", "x"],
  ["string(nothing) + string(missing)", ""],
  ["string({a: [1]})", '{"a":[1]}'],
  ["string('a')", "a"],
  ["bool(' NO ')", false],
  ["bool(1)", true],
  ["bool(nothing)", false],
  ["json(missing)", "null"],
  ["json('a\"b')", '"a\\"b"'],
  ["parse_json('[1, null]')", [1, null]],
  ["parse_json('\"\\\\u0000\"')", "\ufffd"],
  ["map([1, 'a', true, [], {}, null], x => type(x))", ["number", "string", "boolean", "array", "object", "null"]],
  ["type(missing)", "null"],
  ["coalesce(missing, nothing)", null],
  ["coalesce(false, true)", false],
  ["hash('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["hash({a: 1, b: 2}) == hash({b: 2, a: 1})", true],
  ["base64('')", ""],
  ["base64('a')", "YQ=="],
  ["base64('ab')", "YWI="],
  ["base64('abc')", "YWJj"],
  ["base64('🙂')", "8J+Zgg=="],
  ["url_encode('ä/?=🙂')", "%C3%A4%2F%3F%3D%F0%9F%99%82"],
  ["url_encode(5)", "5"],
];

describe("functions", () => {
  it.each(CASES)("%s", (text, expected) => {
    expect(run(text)).toEqual(expected);
  });

  it.each([
    ["lower(n)", "lower takes text, but n is a number (column 7)"],
    ["lower(missing)", "lower takes text, but missing is missing; write ?? for what stands in its place (column 7)"],
    ["join('a')", 'join takes a list, but "a" is text (column 6)'],
    ["replace('a', '', 'b')", "not empty (column 14)"],
    ["contains('a', 1)", '"a" is text, and only text is part of it, but 1 is a number (column 15)'],
    ["matches(t, t + '(')", "the pattern cannot be used"],
    ["substring(t, 0.5)", "substring takes a whole number, but 0.5 is none (column 14)"],
    ["pad(t, 3, '')", "not empty"],
    ["pad(t, 3, ' ', 'middle')", '"left" or "right"'],
    ["round(1, 99)", "0 to 15 digits"],
    ["sum([1, 'a'])", "element [1] is none"],
    ["min(1, 'a')", "value 2 is something else"],
    ["max([[1]])", "value 1 is something else"],
    ["sum([1e308, 1e308])", "too large for a number"],
    ["number('0x10')", "not a plain number"],
    ["number('')", "not a plain number"],
    ["number(true)", "number takes a number or text, but true is a boolean"],
    ["filter([1], x => x)", "the lambda of filter says true or false, but here it gives a number (column 13)"],
    ["sort([1, 'a'])", "element [0] sorts as a number and element [1] as text"],
    ["sort([true])", "numbers or texts are sorted, but element [0] is neither"],
    ["range(0, 5, 0)", "not 0"],
    ["zip([1], n)", "zip takes a list, but n is a number (column 10)"],
    ["pick({}, ['a', 1])", "keys are texts"],
    ["keys([])", "keys takes an object, but […] is a list"],
    ["bool('maybe')", "reads otherwise"],
    ["bool([1])", "bool takes true, yes, 1"],
    ["parse_json('{')", "not JSON"],
    ["parse_json('[1e999]')", "too large"],
  ])("%s does not fit", (text, message) => {
    expect(run(text)).toContain("expression_error: ");
    expect(run(text)).toContain(message);
  });
});

describe("time", () => {
  it.each<[string, Json]>([
    ["date_add('2031-05-04', 1, 'day')", "2031-05-05"],
    ["date_add('2031-05-04T10:00:00Z', 1, 'day')", "2031-05-05T10:00:00Z"],
    ["date_add('2031-05-04T10:00:00.250Z', -1, 'hours')", "2031-05-04T09:00:00.250Z"],
    ["date_add('2031-05-04T23:30:00+02:00', 1, 'h')", "2031-05-05T00:30:00+02:00"],
    ["date_add('2031-05-04', 90, 'minutes')", "2031-05-04T01:30:00Z"],
    ["date_add('2031-05-04T10:00', 30, 's')", "2031-05-04T10:00:30"],
    ["date_add('2031-05-04T10:00:00Z', 1, 'ms')", "2031-05-04T10:00:00.001Z"],
    ["date_add('2032-01-31', 1, 'month')", "2032-02-29"],
    ["date_add('2032-02-29', 1, 'year')", "2033-02-28"],
    ["date_add('2031-01-15', -2, 'months')", "2030-11-15"],
    ["date_add('2031-12-31', 2, 'weeks')", "2032-01-14"],
    ["date_add('2031-05-04', '3d')", "2031-05-07"],
    ["date_add('2031-05-04T00:00:00Z', '-15m')", "2031-05-03T23:45:00Z"],
    ["date_add('2031-05-04', 1.5, 'days')", "2031-05-05T12:00:00Z"],
    ["date_add('1970-01-01', -1, 'day')", "1969-12-31"],
    ["date_diff('2031-05-01', '2031-05-04', 'days')", 3],
    ["date_diff('2031-05-04', '2031-05-01', 'days')", -3],
    ["date_diff('2031-05-01T00:00:00Z', '2031-05-01T00:01:30Z')", 90],
    ["date_diff('2031-05-01T00:00:00+02:00', '2031-04-30T22:00:00Z')", 0],
    ["date_diff('2031-01-31', '2031-02-28', 'months')", 1],
    ["date_diff('2031-01-31', '2031-02-27', 'months')", 0],
    ["date_diff('2031-02-27', '2031-01-31', 'months')", 0],
    ["date_diff('2020-02-29', '2031-02-28', 'years')", 11],
    ["date_diff('2031-05-04', '2029-05-04', 'years')", -2],
    ["date_format('2031-05-04', 'DD.MM.YYYY')", "04.05.2031"],
    ["date_format('2031-05-04T09:05:07.008Z', 'YY M D H m s SSS Z')", "31 5 4 9 5 7 008 Z"],
    ["date_format('2031-05-04', 'dddd, D MMMM [of] YYYY')", "Sunday, 4 May of 2031"],
    ["date_format('1969-12-31', 'ddd MMM')", "Wed Dec"],
    ["date_format('2031-05-04T23:00:00Z', 'YYYY-MM-DD[T]HH:mm:ssZ', '+02:00')", "2031-05-05T01:00:00+02:00"],
    ["date_parse('2031-05-04T10:00:00+02:00')", "2031-05-04T08:00:00Z"],
    ["date_parse('2031-05-04')", "2031-05-04"],
    ["date_parse('May 4, 2031 09:05', 'MMMM D, YYYY HH:mm')", "2031-05-04T09:05:00Z"],
    ["date_parse('4/5/31 +02:00', 'D/M/YY Z')", "2031-05-04"],
    ["date_parse('2031-05-04 00:30 +02:00', 'YYYY-MM-DD HH:mm Z')", "2031-05-03T22:30:00Z"],
  ])("%s", (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it.each([
    ["date_add('yesterday', 1, 'day')", "no ISO date"],
    ["date_add('2031-02-30', 1, 'day')", "no ISO date"],
    ["date_add('2031-13-01', 1, 'day')", "no ISO date"],
    ["date_add('2031-05-04T24:00:00Z', 1, 'day')", "no ISO date"],
    ["date_add('2031-05-04', 1, 'fortnight')", "a unit is"],
    ["date_add('2031-05-04', 1, 'dayz')", 'Did you mean "day"?'],
    ["date_add('2031-05-04', 1)", "takes a unit"],
    ["date_add('2031-05-04', 'soon')", "a number and a unit"],
    ["date_add('2031-05-04', 0.5, 'months')", "whole numbers"],
    ["date_add('2031-05-04', 9999, 'years')", "0 to 9999"],
    ["date_add('2031-05-04', 1e300, 'days')", "0 to 9999"],
    ["date_format('2031-05-04', 'YYYY', 'Berlin')", "no offset"],
    ["date_parse('4.5.2031', 'DD.MM.YYYY')", "no date in this format"],
    ["date_parse('31.02.2031', 'DD.MM.YYYY')", "no date in this format"],
    ["date_parse('2031', 'MM')", "no date in this format"],
  ])("%s does not fit", (text, message) => {
    expect(run(text)).toContain("expression_error: ");
    expect(run(text)).toContain(message);
  });
});
