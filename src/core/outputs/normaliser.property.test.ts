import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOfScalar, scanContainer } from "./json-scan.ts";
import { findJson } from "./json-search.ts";
import { normaliseOutput } from "./normaliser.ts";

const runs = { numRuns: 500 };
/** Text made of the marks the normaliser looks at, far likelier to be nearly JSON than random text. */
const marks = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  ":",
  "1",
  "-",
  "e",
  "true",
  "null",
  " ",
  "\n",
  "`",
  "```",
  "a",
  "\ud800",
  '"a"',
);
const nearJson = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(marks, { maxLength: 60 }).map((parts) => parts.join("")),
);
const strategy = fc.constantFrom("text", "json", "tool", "files" as const);
const container = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));

function isJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

/** The slow and obvious search: every bracket, every end. */
function firstJsonStart(text: string): number {
  for (let start = 0; start < text.length; start += 1) {
    if (text[start] !== "{" && text[start] !== "[") continue;
    for (let end = start + 2; end <= text.length; end += 1) if (isJson(text.slice(start, end))) return start;
  }
  return -1;
}

describe("normaliseOutput", () => {
  it("never throws and keeps the raw text", () => {
    fc.assert(
      fc.property(nearJson, strategy, fc.constantFrom("any", "object" as const), (text, asked, wanted) => {
        const normalised = normaliseOutput(text, asked, wanted);
        expect(normalised.raw).toBe(text);
        if (normalised.value !== undefined) expect(isJson(JSON.stringify(normalised.value))).toBe(true);
      }),
      runs,
    );
  });

  it("finds a value planted in prose", () => {
    const prose = fc.string({ unit: fc.constantFrom(...Array.from("abc XYZ.,:;!?'\"()-`\n}]éß😀")) });
    fc.assert(
      fc.property(prose, container, nearJson, fc.constantFrom(0, 2), (before, value, after, indent) => {
        const planted = JSON.stringify(value, null, indent);
        expect(normaliseOutput(`${before}${planted}${after}`, "json")).toMatchObject({ text: planted });
      }),
      runs,
    );
  });

  it("gives JSON back as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isFenced) => {
        const text = JSON.stringify(value);
        const found = normaliseOutput(isFenced ? `\`\`\`json\n${text}\n\`\`\`` : text, "json");
        expect(found).toMatchObject({ text, repairs: isFenced ? ["code_fence"] : [] });
        expect(JSON.stringify(found.value)).toBe(text);
      }),
      runs,
    );
  });
});

describe("JSON scan", () => {
  it("accepts exactly what a JSON parser accepts", () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const isContainer = text.startsWith("{") || text.startsWith("[");
        const scan = isContainer ? scanContainer(text, 0) : undefined;
        const end = scan === undefined ? endOfScalar(text, 0) : scan.ok ? scan.span.end : undefined;
        // White space before or after is the caller's concern.
        if (text.trim() === text) expect(end === text.length).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("finds a value whenever the obvious search does, and only then", () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const { source } = findJson(text, "any");
        expect(source !== undefined).toBe(firstJsonStart(text) !== -1);
        if (source !== undefined) expect(isJson(source)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
