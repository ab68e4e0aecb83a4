import { countCodePoints, invariant, isJsonArray, isJsonObject, type Json } from "../base/index.ts";
import { compilePattern, type Pattern } from "../text/index.ts";
import { findSecret } from "../redaction/index.ts";
import { ALLOWED, type Moderation, type ModerationDecision, refused } from "./decision.ts";
import { textsOf } from "./json-texts.ts";
import type { ModerationRules } from "./rules.ts";
import { createWordSearch, type WordMatch, type WordSearch } from "./word-search.ts";

/** Compiled rules: decides whether a text or value may pass, and why not. */
export interface Moderator {
  text(text: string): Moderation;
  /** Checks every text inside, including keys. */
  json(value: Json): Moderation;
}

interface Compiled {
  readonly rules: ModerationRules;
  readonly search: WordSearch;
  readonly patterns: readonly Pattern[];
}

const EXCERPT_LENGTH_MAX = 80;

/** The rules must come from `readModerationRules` without problems. */
export function createModerator(rules: ModerationRules): Moderator {
  const compiled: Compiled = {
    rules,
    search: createWordSearch(rules.words),
    patterns: rules.patterns.map((text) => {
      const pattern = compilePattern(text);
      invariant(pattern.ok, "patterns of moderation were checked when they were read");
      return pattern.value;
    }),
  };
  return {
    text: (text) => judge(judgeText(compiled, text)),
    json: (value) => judge(judgeJson(compiled, value)),
  };
}

function judge(decision: ModerationDecision | null): Moderation {
  return decision === null ? ALLOWED : refused(decision);
}

function judgeText(compiled: Compiled, text: string): ModerationDecision | null {
  const { maxCharacters } = compiled.rules;
  if (maxCharacters !== null && isLonger(text, maxCharacters)) return tooLong(maxCharacters);
  return judgeContent(compiled, text) ?? judgeSpelling(compiled, text);
}

/** Checks the decoded values of a JSON text, because escapes may hide from the first check what its reader will see. */
function judgeSpelling(compiled: Compiled, text: string): ModerationDecision | null {
  if (!/^\s*["[{]/.test(text)) return null;
  const value = parseJson(text);
  if (typeof value !== "string" && !isJsonArray(value) && !isJsonObject(value)) return null;
  return judgeTexts(compiled, value);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function judgeJson(compiled: Compiled, value: Json): ModerationDecision | null {
  const { maxCharacters } = compiled.rules;
  if (maxCharacters !== null) {
    let rest = maxCharacters;
    for (const { text } of textsOf(value)) {
      if (isLonger(text, rest)) return tooLong(maxCharacters);
      rest -= countCodePoints(text);
    }
  }
  return judgeTexts(compiled, value);
}

function judgeTexts(compiled: Compiled, value: Json): ModerationDecision | null {
  for (const { text, path } of textsOf(value)) {
    const decision = judgeContent(compiled, text);
    if (decision === null) continue;
    const place = path();
    return place === "" ? decision : { ...decision, path: place };
  }
  return null;
}

function judgeContent({ rules, search, patterns }: Compiled, text: string): ModerationDecision | null {
  const secret = rules.secrets ? findSecret(text) : null;
  if (secret !== null) {
    const detail = `The text holds what looks like ${secret.name}; take it out, and replace it if it was real.`;
    return { rule: "secrets", category: secret.category, detail };
  }
  const match = search(text);
  if (match !== null) return blockedWord(match, text);
  const index = patterns.findIndex((pattern) => pattern.test(text));
  if (index === -1) return null;
  const detail = `The text matches the pattern ${rules.patterns[index] ?? ""}, number ${index + 1} of the list.`;
  return { rule: "patterns", category: "blocked_pattern", detail };
}

function blockedWord({ word, start, end }: WordMatch, text: string): ModerationDecision {
  const characters = Array.from(text.slice(start, Math.min(end, start + 4 * EXCERPT_LENGTH_MAX)));
  const excerpt = characters
    .slice(0, EXCERPT_LENGTH_MAX)
    .map((character) => (/[\p{Cs}\0]/u.test(character) ? "\ufffd" : character))
    .join("");
  const detail = `The text holds ${JSON.stringify(word)}, which is on the list of words.`;
  return { rule: "words", category: "blocked_word", detail, excerpt };
}

function tooLong(maxCharacters: number): ModerationDecision {
  return { rule: "size", category: "too_long", detail: `The text has more than ${maxCharacters} characters.` };
}

/** A character has one or two code units, so most texts need no counting. */
function isLonger(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || countCodePoints(text) > most;
}
