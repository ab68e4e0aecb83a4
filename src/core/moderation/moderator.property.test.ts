import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createModerator, type Moderation } from "./index.ts";

const WORDS = ["bad", "idiot", "kill", "straße", "сука", "very rude"];
const moderator = createModerator({ words: WORDS, patterns: ["x{9}"], maxCharacters: null, secrets: true });

const UNSEEN = ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u0301", "\u0489", "\u{e0041}", "\ud83d"];
const JOINTS = [".", "-", "_", "*", "~", "'", "/", "\\", "+", "·", "…".normalize("NFKC"), ",", "#", "^"];

/** The word with something after each of its letters. */
const dressed = (word: string, between: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(between, fc.boolean()), { minLength: word.length, maxLength: word.length }).map((parts) =>
    Array.from(word)
      .map((letter, index) => {
        const [after, isUpper] = parts[index] ?? ["", false];
        return (isUpper ? letter.toUpperCase() : letter) + (index === word.length - 1 ? "" : after);
      })
      .join(""),
  );

const some = (characters: readonly string[]) =>
  fc.array(fc.constantFrom(...characters), { maxLength: 3 }).map((parts) => parts.join(""));

const around = fc.constantFrom("", " ", ". ", "(", "\n", "«", "— ");

function ruleOf(result: Moderation): string | null {
  return result.allowed ? null : result.decision.rule;
}

describe("laws", () => {
  it("no case, no mark, no joint and nothing unseen hides a word", () => {
    const disguise = fc
      .constantFrom(...WORDS)
      .chain((word) => dressed(word, fc.oneof(some(UNSEEN), some(JOINTS), some([...UNSEEN, ...JOINTS]))));
    fc.assert(
      fc.property(disguise, around, around, (text, before, after) => {
        expect(ruleOf(moderator.text(`fine${before === "" ? " " : before}${text}${after}`))).toBe("words");
      }),
      { numRuns: 1_000 },
    );
  });

  it("a word spelt out letter by letter is the word", () => {
    const spaced = fc.array(fc.constantFrom(" ", "\n", "\u00a0", ". ", " - "), { minLength: 1, maxLength: 2 });
    const disguise = fc.constantFrom(...WORDS).chain((word) =>
      fc.array(spaced, { minLength: word.length, maxLength: word.length }).map((gaps) =>
        Array.from(word)
          .map((letter, index) => letter + (gaps[index] ?? []).join(""))
          .join(""),
      ),
    );
    fc.assert(
      fc.property(disguise, (text) => {
        expect(ruleOf(moderator.text(text))).toBe("words");
      }),
      { numRuns: 300 },
    );
  });

  it("a word inside a longer word is not the word", () => {
    const letters = fc.string({ unit: fc.constantFrom("q", "w", "z", "é"), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom("bad", "idiot", "kill"), letters, fc.boolean(), (word, more, isBefore) => {
        expect(ruleOf(moderator.text(isBefore ? more + word : word + more))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });

  it("a text, a value that holds it and the JSON of that value fare alike", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 12 }),
      fc.constantFrom(...WORDS, "xxxxxxxxx", "4111111111111111", ` sk-${"aB3d".repeat(8)} `, " ", "\n", "1", "!"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        // A quote at the start would make the text itself JSON.
        const text = `fine ${pieces.join("")}`;
        const alone = moderator.text(text);
        for (const value of [text, [text], { k: [{ l: text }] }, { [text]: 1 }]) {
          expect(ruleOf(moderator.json(value))).toBe(ruleOf(alone));
        }
        if (alone.allowed) return;
        expect(ruleOf(moderator.text(JSON.stringify({ k: text })))).not.toBeNull();
        const inside = moderator.json([text]);
        expect(inside).toEqual({ allowed: false, decision: { ...alone.decision, path: "[0]" } });
      }),
      { numRuns: 500 },
    );
  });
});
