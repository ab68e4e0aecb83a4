import { describe, expect, it } from "vitest";
import type { StepTemplate } from "./template.ts";
import {
  isExpression,
  isSingleReference,
  parseStdin,
  parseStepTemplate,
  pathsOfTemplate,
  renderStepTemplate,
} from "./step-template.ts";

/** Literal pieces in quotes, references as written. */
function cutOf(template: StepTemplate): string {
  return template.parts
    .map((part) => {
      if (typeof part === "string") return JSON.stringify(part);
      return isExpression(part) ? `(${part.text})` : part.text;
    })
    .join(" ");
}

function commandOf(text: string): string {
  const parsed = parseStepTemplate(text);
  return parsed.ok ? cutOf(parsed.value) : `${parsed.failure.position}: ${parsed.failure.message}`;
}

function stdinOf(text: string): string {
  const parsed = parseStdin(text);
  return parsed.ok ? cutOf(parsed.value) : `${parsed.failure.position}: ${parsed.failure.message}`;
}

function parse(text: string): StepTemplate {
  const parsed = parseStepTemplate(text);
  if (!parsed.ok) throw new Error(parsed.failure.message);
  return parsed.value;
}

describe("parseStepTemplate", () => {
  it.each([
    ["", ""],
    ["plain", '"plain"'],
    ["${name}", "${name}"],
    ["Hello ${name}!", '"Hello " ${name} "!"'],
    ["${a}${b.outputs.c[0]}", "${a} ${b.outputs.c[0]}"],
    ["${ a.stdout }.txt", '${ a.stdout } ".txt"'],
    ["${my-arg}", "${my-arg}"],
    ["costs $5, $name, $a.stdout, $", '"costs $5, $name, $a.stdout, $"'],
    ["$${name}", '"${name}"'],
    ["$$${name}", '"$${name}"'],
    ["a $${b} ${c}", '"a ${b} " ${c}'],
    ["$$ $$5", '"$$ $$5"'],
    ["{name} [[x]] {{y}}", '"{name} [[x]] {{y}}"'],
    ["line\n${a}\nline", '"line\\n" ${a} "\\nline"'],
    ["🙂${a}🙂", '"🙂" ${a} "🙂"'],
  ])("%s", (text, expected) => {
    expect(commandOf(text)).toBe(expected);
  });

  it.each([
    ["${", "0: the reference that starts with ${ is never closed"],
    ["ok ${name", "3: the reference that starts with ${ is never closed"],
    ["ok ${name ", "3: the reference that starts with ${ is never closed"],
    ["${}", "0: the reference ${} is empty"],
    ["${ }", "0: the reference ${} is empty"],
    ["${a b}", '4: a reference cannot contain "b"'],
    ["${HOME:-x}", '6: a reference cannot contain ":"'],
    ["${a()}", '2: there is no function "a"'],
    ["${upper(s, s)}", "2: upper takes 1 argument, and 2 are given"],
    ["${items.map(x => x.y)}", '2: "items.map" cannot be called'],
    ["${price * }", "10: the expression ends where a value is expected"],
    ["${ {a: 1 }", '3: a name is expected before "{"'],
    ["${upper('}')", '7: a reference cannot contain "("'],
    ["${a's}", '3: a reference cannot contain "\'"'],
    ["${1}", '2: a name is expected before "1"'],
    ["${a.}", '4: a name is expected before "}"'],
    ["${${a}}", '2: a name is expected before "$"'],
    ["${a}${b", "4: the reference that starts with ${ is never closed"],
  ])("refuses %s", (text, expected) => {
    expect(commandOf(text)).toBe(expected);
  });

  it.each([
    ["${a == 1}", "(a == 1)"],
    ["Pay ${price * quantity} now", '"Pay " (price * quantity) " now"'],
    ["${ join(tags, ', ') }.", "(join(tags, ', ') ) \".\""],
    ["${a[-1]}${ {a: {b: 1}}.a }", "(a[-1]) ({a: {b: 1}}.a )"],
    ["${x ? '}' : \"{\"}", "(x ? '}' : \"{\")"],
    ["${a - b}", "(a - b)"],
    ["${a-b}", "${a-b}"],
    ["${'it\\'s }' + a}", "('it\\'s }' + a)"],
  ])("calculates %s", (text, expected) => {
    expect(commandOf(text)).toBe(expected);
  });

  it("places what it calculates in the whole text", () => {
    const [, part] = parse("Hi ${1 + a.b}").parts;
    if (part === undefined || typeof part === "string" || !isExpression(part)) throw new Error("no expression");
    expect(part.text).toBe("1 + a.b");
    expect(part.paths).toEqual([{ text: "a.b", segments: ["a", "b"], position: 9 }]);
    expect(pathsOfTemplate(parse("${a} ${b + c.d} ${map(e, x => x.f)}")).map(({ text }) => text)).toEqual([
      "${a}",
      "b",
      "c.d",
      "e",
    ]);
  });

  it("says how to write a literal", () => {
    const parsed = parseStepTemplate("${HOME:-x}");
    expect(!parsed.ok && parsed.failure.hint).toContain("for a literal ${ write $${");
  });

  it("keeps the text, the segments and the places", () => {
    expect(parse("Hi ${a.outputs.b[1]}")).toEqual({
      text: "Hi ${a.outputs.b[1]}",
      parts: ["Hi ", { text: "${a.outputs.b[1]}", segments: ["a", "outputs", "b", 1], position: 3 }],
    });
  });
});

describe("parseStdin", () => {
  it.each([
    ["$step.stdout", "$step.stdout"],
    ["$step.json", "$step.json"],
    ["$step.approved", "$step.approved"],
    ["$step.outputs.f", "$step.outputs.f"],
    ["$step.f", "$step.f"],
    ["A: $a.stdout\nB: $b.stdout.", '"A: " $a.stdout "\\nB: " $b.stdout "."'],
    ["${name} and $a.json[0].x", '${name} " and " $a.json[0].x'],
    ["$5 and $5.00 and $PATH and US$", '"$5 and $5.00 and $PATH and US$"'],
    ["$a.stdout$b.stdout", "$a.stdout $b.stdout"],
    ["$$a.stdout", '"$a.stdout"'],
    ["$${a}", '"${a}"'],
    ["$$$a.stdout", '"$$a.stdout"'],
    ["$$5", '"$$5"'],
  ])("%s", (text, expected) => {
    expect(stdinOf(text)).toBe(expected);
  });

  it.each(["${", "${a", "$a.stdout ${}"])("refuses %s", (text) => {
    expect(parseStdin(text).ok).toBe(false);
  });
});

describe("isSingleReference", () => {
  it("is the path of a text that is nothing else", () => {
    expect(isSingleReference(parse("${a.b}"))).toMatchObject({ segments: ["a", "b"] });
    expect(isSingleReference(parse("${ a }"))).toMatchObject({ segments: ["a"] });
    expect(isSingleReference(parse("${a + 1}"))).toMatchObject({ text: "a + 1" });
  });

  it.each(["", "a", " ${a}", "${a} ", "${a}${b}", "$${a}"])("is nothing for %j", (text) => {
    expect(isSingleReference(parse(text))).toBeUndefined();
  });
});

describe("renderStepTemplate", () => {
  it("asks for each reference in order", () => {
    const asked: string[] = [];
    const text = renderStepTemplate(parse("<${a}|${b.c}|${a}>"), (reference) => {
      asked.push(reference.text);
      return isExpression(reference) ? "" : reference.segments.join("/");
    });
    expect(text).toBe("<a|b/c|a>");
    expect(asked).toEqual(["${a}", "${b.c}", "${a}"]);
  });

  it.each(["${b}", "$&", "$1 $$ $` $'", "[[b]]", "$b.stdout", "${", "$${b}"])(
    "keeps the value %s as it is",
    (value) => {
      expect(renderStepTemplate(parse("(${a})"), () => value)).toBe(`(${value})`);
    },
  );
});
