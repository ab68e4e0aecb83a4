import {
  fail,
  formatPath,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Outcome,
  type Problem,
  succeed,
  type TreePath,
} from "../base/index.ts";
import { compilePattern } from "../text/index.ts";
import { readEntry, WORD_LETTERS_MAX } from "./dictionary.ts";

/** The rules that a text must satisfy. */
export interface ModerationRules {
  /** Searched as whole words, including disguised spellings. */
  readonly words: readonly string[];
  /** Searched in the text as it is. */
  readonly patterns: readonly string[];
  /** Maximum characters in one text, or in all texts of one JSON value. Null for no limit. */
  readonly maxCharacters: number | null;
  /** Whether text that looks like a key, a token or a bank card is refused. */
  readonly secrets: boolean;
}

export const DEFAULT_MODERATION: ModerationRules = {
  words: [],
  patterns: [],
  maxCharacters: 524_288,
  secrets: true,
};

export const MODERATION_LIMITS = {
  wordsMax: 10_000,
  patternsMax: 100,
  charactersMax: 8_388_608,
} as const;

/** A mistake in the configuration of moderation, which has a path but no line. */
export type ModerationProblem = Pick<Problem, "code" | "message" | "path">;

const KEYS = ["words", "patterns", "max_characters", "secrets"] as const;

/** Reads `{words, patterns, max_characters, secrets}`. Missing keys get their defaults. Reports all mistakes at once. */
export function readModerationRules(config: Json): Outcome<ModerationRules, readonly ModerationProblem[]> {
  const found: ModerationProblem[] = [];
  if (!isJsonObject(config)) {
    return fail([problem([], "wrong_type", `The rules of moderation are a map with the keys ${KEYS.join(", ")}.`)]);
  }
  for (const key of Object.keys(config)) {
    if (KEYS.some((known) => known === key)) continue;
    found.push(problem([key], "unknown_key", `Moderation has no key "${key}"; the keys are ${KEYS.join(", ")}.`));
  }
  const rules: ModerationRules = {
    words: readList(config, "words", MODERATION_LIMITS.wordsMax, wordMistake, found),
    patterns: readList(config, "patterns", MODERATION_LIMITS.patternsMax, patternMistake, found),
    maxCharacters: readSize(getOwn(config, "max_characters"), found),
    secrets: readSwitch(getOwn(config, "secrets"), found),
  };
  return found.length === 0 ? succeed(rules) : fail(found);
}

type Mistake = Pick<Problem, "code" | "message">;

function readList(
  config: JsonObject,
  key: "words" | "patterns",
  most: number,
  mistakeIn: (text: string) => Mistake | null,
  found: ModerationProblem[],
): readonly string[] {
  const list = getOwn(config, key) ?? [];
  if (!isJsonArray(list)) {
    found.push(problem([key], "wrong_type", `"${key}" is a list of texts.`));
    return [];
  }
  if (list.length > most) {
    found.push(problem([key], "bad_number", `"${key}" has ${list.length} entries; at most ${most} are allowed.`));
    return [];
  }
  return list.flatMap((item, index) => {
    const mistake: Mistake | null =
      typeof item === "string" ? mistakeIn(item) : { code: "wrong_type", message: "This entry must be a text." };
    if (mistake !== null) found.push(problem([key, index], mistake.code, mistake.message));
    return typeof item === "string" && mistake === null ? [item] : [];
  });
}

function wordMistake(word: string): Mistake | null {
  if (readEntry(word) !== null) return null;
  const message = `A word has 1 to ${WORD_LETTERS_MAX} letters or digits; this one has none, or more.`;
  return { code: "bad_name", message };
}

function patternMistake(pattern: string): Mistake | null {
  if (pattern === "") return { code: "bad_pattern", message: "An empty pattern is found in every text." };
  const compiled = compilePattern(pattern);
  return compiled.ok ? null : { code: "bad_pattern", message: `The pattern cannot be used: ${compiled.failure}.` };
}

function readSize(value: Json | undefined, found: ModerationProblem[]): number | null {
  if (value === undefined) return DEFAULT_MODERATION.maxCharacters;
  if (value === null) return null;
  const { charactersMax } = MODERATION_LIMITS;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= charactersMax) return value;
  const message = `"max_characters" is a whole number from 1 to ${charactersMax}, or null for no limit.`;
  found.push(problem(["max_characters"], "bad_number", message));
  return null;
}

function readSwitch(value: Json | undefined, found: ModerationProblem[]): boolean {
  if (value === undefined) return DEFAULT_MODERATION.secrets;
  if (typeof value === "boolean") return value;
  found.push(problem(["secrets"], "wrong_type", '"secrets" is true or false.'));
  return true;
}

function problem(path: TreePath, code: Problem["code"], message: string): ModerationProblem {
  return { code, message, path: formatPath(path) };
}
