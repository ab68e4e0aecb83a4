import { countCodePoints, required } from "../../base/index.ts";
import { compilePattern, patternStates } from "../../text/index.ts";
import type { Argument, SyntaxProblem } from "../expression.ts";
import { BOOLEAN, NUMBER, TEXT, type Known } from "../known.ts";
import { sliceText } from "../slice.ts";
import type { Call } from "./call.ts";
import { contains } from "./equal.ts";
import { type FunctionEntry, list, number, oneOf, optional, text, value } from "./function.ts";

const TEXTS: Known = { kind: "list", items: TEXT };

/** Compiles a literal pattern when the file is checked. */
function checkPattern([, pattern]: readonly Argument[]): SyntaxProblem | undefined {
  if (pattern?.kind !== "literal" || typeof pattern.value !== "string") return undefined;
  const compiled = compilePattern(pattern.value);
  if (compiled.ok) return undefined;
  return {
    code: "bad_pattern",
    message: `the pattern cannot be used: ${compiled.failure}`,
    position: pattern.position,
  };
}

/** Steps for compiling a pattern, which may take as long as matching a long text. A literal pattern was compiled with the file. */
const COMPILE_STEPS = 100;
const COMPILED_STATES_PER_STEP = 10;
const STATES_PER_CHARACTER = 16;

function runMatches(call: Call): boolean {
  const subject = call.text(0);
  const pattern = call.text(1);
  const states = patternStates(pattern);
  if (!call.isLiteral(1)) call.meter.spend(COMPILE_STEPS + states / COMPILED_STATES_PER_STEP);
  call.meter.characters((subject.length * Math.max(STATES_PER_CHARACTER, states)) / STATES_PER_CHARACTER);
  const compiled = compilePattern(pattern);
  if (!compiled.ok) throw call.kindFault(`the pattern cannot be used: ${compiled.failure}`, 1);
  return compiled.value.test(subject);
}

function runSplit(call: Call): readonly string[] {
  const subject = call.text(0);
  const separator = call.text(1);
  call.meter.search(subject, separator);
  const parts = separator === "" ? Array.from(subject) : subject.split(separator);
  call.meter.elements(parts.length);
  return parts;
}

function runJoin(call: Call): string {
  const separator = call.count > 1 ? call.text(1) : ",";
  call.meter.elements(call.list(0).length);
  const texts: string[] = [];
  let length = 0;
  for (const item of call.list(0)) {
    const part = call.textOf(item);
    length += part.length + separator.length;
    call.checkText(length);
    texts.push(part);
  }
  call.meter.characters(length);
  return texts.join(separator);
}

function runReplace(call: Call): string {
  const subject = call.text(0);
  const what = call.text(1);
  const replacement = call.text(2);
  if (what === "") throw call.kindFault("replace looks for a text that is not empty", 1);
  call.meter.search(subject, what);
  const parts = subject.split(what);
  call.meter.elements(parts.length);
  call.makeText(subject.length + (parts.length - 1) * (replacement.length - what.length));
  return parts.join(replacement);
}

const SIDES = ["left", "right"];

function runPad(call: Call): string {
  const subject = call.textOf(call.value(0));
  const width = call.whole(1);
  const fill = Array.from(call.count > 2 ? charged(call, 2) : " ");
  const side = call.count > 3 ? call.text(3) : "left";
  if (fill.length === 0) throw call.kindFault("pad fills with a text that is not empty", 2);
  if (!SIDES.includes(side)) throw call.kindFault(`pad fills "left" or "right", but ${call.name(3)} is neither`, 3);
  const missing = width - countCodePoints(subject);
  if (missing <= 0) return subject;
  const unitsMax = fill.some((character) => character.length > 1) ? 2 : 1;
  call.makeText(subject.length + missing * unitsMax);
  let filled = "";
  for (let index = 0; index < missing; index += 1) filled += required(fill[index % fill.length], "fill is not empty");
  return side === "left" ? filled + subject : subject + filled;
}

function runLength(call: Call): number {
  if (call.isList(0)) return call.list(0).length;
  if (call.isObject(0)) return Object.keys(call.object(0)).length;
  call.meter.characters(call.text(0).length);
  return countCodePoints(call.text(0));
}

/** Returns a function that changes a text without making it much longer. */
function textFunction(change: (subject: string) => string): FunctionEntry["run"] {
  return (call) => {
    call.makeText(call.text(0).length);
    return change(call.text(0));
  };
}

export const TEXT_FUNCTIONS: readonly FunctionEntry[] = [
  {
    name: "lower",
    parameters: [text()],
    about: "The text in small letters.",
    example: "lower('Ada')",
    gives: "ada",
    result: TEXT,
    run: textFunction((subject) => subject.toLowerCase()),
  },
  {
    name: "upper",
    parameters: [text()],
    about: "The text in capital letters.",
    example: "upper('Ada')",
    gives: "ADA",
    result: TEXT,
    run: textFunction((subject) => subject.toUpperCase()),
  },
  {
    name: "trim",
    parameters: [text()],
    about: "The text without white space at its ends.",
    example: "trim('  a b ')",
    gives: "a b",
    result: TEXT,
    run: textFunction((subject) => subject.trim()),
  },
  {
    name: "split",
    parameters: [text(), text("separator")],
    about: "The parts between separators; with an empty separator, the characters.",
    example: "split('a,b,,c', ',')",
    gives: ["a", "b", "", "c"],
    result: TEXTS,
    run: runSplit,
  },
  {
    name: "join",
    parameters: [list(), optional(text("separator"))],
    about: "The elements as one text, with a comma or the separator between them; null reads as nothing.",
    example: "join(['a', 1, true], ' - ')",
    gives: "a - 1 - true",
    result: TEXT,
    run: runJoin,
  },
  {
    name: "replace",
    parameters: [text(), text("what"), text("with")],
    about: "Every occurrence replaced; `what` is a text and no pattern.",
    example: "replace('a-b-c', '-', '+')",
    gives: "a+b+c",
    result: TEXT,
    run: runReplace,
  },
  {
    name: "contains",
    parameters: [oneOf("text or list", "text", "list"), value("part")],
    about: "Whether a text has this part, or a list has an element equal to it; unlike `in`, exactly.",
    example: "contains('sluice', 'ice')",
    gives: true,
    result: BOOLEAN,
    run: contains,
  },
  {
    name: "starts_with",
    parameters: [text(), text("start")],
    about: "Whether the text begins so.",
    example: "starts_with('sluice', 'slu')",
    gives: true,
    result: BOOLEAN,
    run: (call) => call.text(0).startsWith(charged(call, 1)),
  },
  {
    name: "ends_with",
    parameters: [text(), text("end")],
    about: "Whether the text ends so.",
    example: "ends_with('report.pdf', '.pdf')",
    gives: true,
    result: BOOLEAN,
    run: (call) => call.text(0).endsWith(charged(call, 1)),
  },
  {
    name: "matches",
    parameters: [text(), text("pattern")],
    about: "Whether the pattern is found in the text; a linear-time regular expression, anchored with ^ and $.",
    example: "matches('INV-2031', '^INV-[0-9]+$')",
    gives: true,
    result: BOOLEAN,
    check: checkPattern,
    run: runMatches,
  },
  {
    name: "substring",
    parameters: [text(), number("from"), optional(number("to"))],
    about: "The characters from one place up to, not including, another, counted from 0; the same as text[from:to].",
    example: "substring('sluice', 1, 3)",
    gives: "lu",
    result: TEXT,
    run: (call) => {
      call.meter.characters(call.text(0).length);
      return sliceText(call.text(0), call.whole(1), call.count > 2 ? call.whole(2) : null);
    },
  },
  {
    name: "pad",
    parameters: [
      oneOf("text or number", "text", "number"),
      number("width"),
      optional(text("fill")),
      optional(text("side")),
    ],
    about: "Filled to a width with spaces or another text, on the left, or on the right with 'right'.",
    example: "pad(7, 3, '0')",
    gives: "007",
    result: TEXT,
    run: runPad,
  },
  {
    name: "length",
    parameters: [oneOf("text, list or object", "text", "list", "object")],
    about: "How many characters, elements or keys there are.",
    example: "length('größe')",
    gives: 5,
    result: NUMBER,
    run: runLength,
  },
];

function charged(call: Call, index: number): string {
  const part = call.text(index);
  call.meter.characters(part.length);
  return part;
}
