import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { normaliseLabel } from "./label.ts";
import { parseLensTemplate, renderLensTemplate } from "./lens-template.ts";
import type { LensTemplate } from "./template.ts";

function parse(text: string): LensTemplate {
  const parsed = parseLensTemplate(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

/** Literal pieces in quotes; tokens as key, with `!` and `:type`. */
function cutOf(text: string): string {
  const pieces = parse(text).parts.map((part) => {
    if (typeof part === "string") return JSON.stringify(part);
    return `${part.key}${part.isOptional ? "!" : ""}${part.type === null ? "" : `:${part.type}`}`;
  });
  return pieces.join(" ");
}

function render(text: string, values: Readonly<Record<string, Json>>) {
  const byKey = new Map(Object.entries(values).map(([label, value]) => [normaliseLabel(label), value]));
  return renderLensTemplate(parse(text), (token) => byKey.get(token.key));
}

describe("parseLensTemplate", () => {
  it.each([
    ["", ""],
    ["plain", '"plain"'],
    ["[[topic]]", "topic"],
    ["{{topic}}", "topic"],
    ["About [[topic]].", '"About " topic "."'],
    ["[[a]]{{b}}", "a b"],
    ["[[ My  Topic ]]", "my_topic"],
    ["{{MY_TOPIC}}", "my_topic"],
    ["[[style!]]", "style!"],
    ["{{style!}}", "style!"],
    ["[[style !]]", "style!"],
    ["[[count:integer]]", "count:integer"],
    ["[[ count : integer ]]", "count:integer"],
    ["[[count!:integer]]", "count!:integer"],
    ["[[count:integer!]]", "count!:integer"],
    ["[[:550e8400-e29b-41d4-a716-446655440000]]", ""],
    ["a [[:550e8400-e29b-41d4-a716-446655440000]] b", '"a  b"'],
    ["[[2nd choice]]", "2nd_choice"],
    ["[[q&a (short)?]]", "q&a_(short)?"],
    ["[[größe]]", "größe"],
    ["[[a.b]]", "a.b"],
    ["[[constructor]] {{__proto__}}", 'constructor " " _proto_'],
    ["{{{name}}}", '"{" name "}"'],
    ["[[[name]]]", '"[" name "]"'],
    // What is not a token is text.
    ["[ topic ]", '"[ topic ]"'],
    ["[topic] {topic}", '"[topic] {topic}"'],
    ["[[]] {{}} [[ ]] [[!]] [[:]]", '"[[]] {{}} [[ ]] [[!]] [[:]]"'],
    ["[[1, 2], [3, 4]]", '"[[1, 2], [3, 4]]"'],
    ["[[1]] [[1.5]]", '"[[1]] [[1.5]]"'],
    ["[[1], 2]", '"[[1], 2]"'],
    ['[["a", "b"]]', '"[[\\"a\\", \\"b\\"]]"'],
    ["[[[1]], [[2]]]", '"[[[1]], [[2]]]"'],
    ["[[a\nb]]", '"[[a\\nb]]"'],
    ["if [[ -f file ]]; then", '"if [[ -f file ]]; then"'],
    ["style={{ color: 'red' }}", "\"style={{ color: 'red' }}\""],
    ["{{#if x}}", '"{{#if x}}"'],
    ["{{:else}}", '"{{:else}}"'],
    ["]] }} ]", '"]] }} ]"'],
    ["$x ${y} $&", '"$x ${y} $&"'],
  ])("%s", (text, expected) => {
    expect(cutOf(text)).toBe(expected);
  });

  it("keeps the label as written", () => {
    expect(parse("[[ My Topic:string ]]").parts).toEqual([
      { label: "My Topic", key: "my_topic", isOptional: false, type: "string" },
    ]);
  });

  it.each([
    ["{{", 0, "{{"],
    ["Hello {{name", 6, "{{"],
    ["Hello {{name} and", 6, "{{"],
    ["{{1", 0, "{{"],
    ["Hello [[", 6, "[["],
    ["Hello [[name", 6, "[["],
    ["Hello [[name] and", 6, "[["],
    ["[[name] and [[other]]", 0, "[["],
    ["[[ok]] {{name} {{other}}", 7, "{{"],
    ["[[:550e8400", 0, "[["],
  ])("refuses %s", (text, position, brackets) => {
    const parsed = parseLensTemplate(text);
    expect(parsed.ok).toBe(false);
    if (parsed.ok) return;
    expect(parsed.failure.position).toBe(position);
    expect(parsed.failure.message).toBe(`the token that starts with ${brackets} is never closed`);
    expect(parsed.failure.hint).toContain("close it with");
  });
});

describe("renderLensTemplate", () => {
  it("matches labels in any case, with spaces as underscores", () => {
    expect(render("[[My Topic]] {{my_topic}} [[MY__TOPIC]] {{ my \t topic }}", { "my topic": "x" })).toEqual({
      text: "x x x x",
      missing: [],
    });
  });

  it("writes texts as they are, nothing for null, and the rest as JSON", () => {
    const values = { text: "a", none: null, number: 1.5, yes: true, list: [1, "b"], object: { a: null } };
    expect(render("[[text]]|[[none]]|[[number]]|[[yes]]|[[list]]|[[object]]", values).text).toBe(
      'a||1.5|true|[1,"b"]|{"a":null}',
    );
  });

  it("lists every unbound label once, in order, as first written", () => {
    expect(render("[[B b]] [[a]] {{b_b}} [[c!]] [[d:number]] [[a]]", { a: "x" })).toEqual({
      text: " x    x",
      missing: ["B b", "d"],
    });
  });

  it("leaves optional tokens empty, and still wants a required one of the same label", () => {
    expect(render("<[[a!]]>", {})).toEqual({ text: "<>", missing: [] });
    expect(render("<[[a!]][[a]]>", {})).toEqual({ text: "<>", missing: ["a"] });
    expect(render("<[[a!]]>", { a: "x" })).toEqual({ text: "<x>", missing: [] });
  });

  it("counts an empty text as bound", () => {
    expect(render("<[[a]]>", { a: "" })).toEqual({ text: "<>", missing: [] });
  });

  it.each(["[[b]]", "{{b}}", "$&", "$1$$$`", "${b}", "[[", "]]", "[ b ]", "[[:id]]"])("keeps the value %s", (value) => {
    expect(render("<[[a]]|[[b]]>", { a: value, b: "secret" })).toEqual({ text: `<${value}|secret>`, missing: [] });
  });
});

describe("normaliseLabel", () => {
  it.each([
    ["Topic", "topic"],
    ["  My   Topic ", "my_topic"],
    ["my_topic", "my_topic"],
    ["my _ topic", "my_topic"],
    ["MY__TOPIC", "my_topic"],
    ["my\ttopic", "my_topic"],
    ["my-topic", "my-topic"],
    ["_private", "_private"],
    ["ÄRGER", "ärger"],
    ["", ""],
  ])("%j is %j", (label, key) => {
    expect(normaliseLabel(label)).toBe(key);
  });
});
