import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseLabel } from "./label.ts";
import { parseLensTemplate, renderLensTemplate } from "./lens-template.ts";
import { parseOverride } from "./override.ts";
import { parseStdin, parseStepTemplate, renderStepTemplate } from "./step-template.ts";

const PIECES =
  "[[ ]] {{ }} [[a]] {{b!}} [[a:text]] [[:id]] [[n.p]] [ ] { } ${ ${a} $${b} $ $$ $a.stdout $5 $& a . ! : 🙂"
    .split(" ")
    .concat(" ", "\n");
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 20 }).map((pieces) => pieces.join("")),
);

describe("any text", () => {
  it("is a template or a problem with a place in the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const parsed of [parseStepTemplate(text), parseStdin(text), parseLensTemplate(text)]) {
          if (parsed.ok) expect(parsed.value.text).toBe(text);
          else expect(parsed.failure.position).toBeLessThanOrEqual(text.length);
        }
        const whole = parseOverride(text).parts.map((part) => (typeof part === "string" ? part : ""));
        expect(whole.join("").length).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 3_000 },
    );
  });

  it("between references comes out as it went in", () => {
    const literal = anyText.map((text) => text.replaceAll(/[$[\]{}]/g, ""));
    fc.assert(
      fc.property(fc.array(literal, { minLength: 1, maxLength: 6 }), (pieces) => {
        const command = parseStepTemplate(pieces.join("${x}"));
        expect(command.ok && renderStepTemplate(command.value, () => "")).toBe(pieces.join(""));
        const lens = parseLensTemplate(pieces.join("[[x]]"));
        expect(lens.ok && renderLensTemplate(lens.value, () => "").text).toBe(pieces.join(""));
      }),
      { numRuns: 500 },
    );
  });
});

describe("a value", () => {
  it("is never expanded again, whatever it holds", () => {
    fc.assert(
      fc.property(anyText, anyText, (first, second) => {
        const command = parseStepTemplate("<${a}|${b}>");
        const rendered =
          command.ok && renderStepTemplate(command.value, (path) => (path.text === "${a}" ? first : second));
        expect(rendered).toBe(`<${first}|${second}>`);
        const lens = parseLensTemplate("<[[a]]|{{b}}>");
        const result = lens.ok && renderLensTemplate(lens.value, (token) => (token.key === "a" ? first : second));
        expect(result).toEqual({ text: `<${first}|${second}>`, missing: [] });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("labels", () => {
  const word = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9]{0,5}$/);
  const gap = fc.stringMatching(/^[ _]{1,3}$/);

  it("match in any case and with any mixture of spaces and underscores", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), gap, gap, (words, one, other) => {
        const written = parseLensTemplate(`[[${words.join(one).toUpperCase()}]]`);
        const key = normaliseLabel(words.join(other).toLowerCase());
        const result =
          written.ok && renderLensTemplate(written.value, (token) => (token.key === key ? "x" : undefined));
        expect(result).toEqual({ text: "x", missing: [] });
      }),
      { numRuns: 300 },
    );
  });

  it("are normal once normalised", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (label) => {
        const key = normaliseLabel(label);
        expect(normaliseLabel(key)).toBe(key);
      }),
      { numRuns: 1_000 },
    );
  });
});
