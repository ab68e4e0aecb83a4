import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { DEFAULT_MODERATION, MODERATION_LIMITS, readModerationRules } from "./index.ts";

function problemsOf(config: Json): string[] {
  const read = readModerationRules(config);
  return read.ok ? [] : read.failure.map(({ code, path }) => `${code} ${path}`);
}

describe("the configuration of moderation", () => {
  it("is as by default where it says nothing", () => {
    expect(readModerationRules({})).toEqual({ ok: true, value: DEFAULT_MODERATION });
  });

  it("is read whole", () => {
    const config = { words: ["bad"], patterns: ["x+"], max_characters: null, secrets: false };
    const value = { words: ["bad"], patterns: ["x+"], maxCharacters: null, secrets: false };
    expect(readModerationRules(config)).toEqual({ ok: true, value });
  });

  it("reports all mistakes at once, with their places", () => {
    const config = {
      words: ["fine", 7, "...", ""],
      patterns: ["(", "", "(?=x)", "fine"],
      max_characters: 1.5,
      secrets: "yes",
      word: [],
    };
    expect(problemsOf(config)).toEqual([
      "unknown_key word",
      "wrong_type words[1]",
      "bad_name words[2]",
      "bad_name words[3]",
      "bad_pattern patterns[0]",
      "bad_pattern patterns[1]",
      "bad_pattern patterns[2]",
      "bad_number max_characters",
      "wrong_type secrets",
    ]);
    expect(problemsOf([])).toEqual(["wrong_type "]);
    expect(problemsOf({ words: "bad", patterns: {} })).toEqual(["wrong_type words", "wrong_type patterns"]);
    expect(problemsOf(JSON.parse('{"__proto__": 1, "constructor": 2}') as Json)).toHaveLength(2);
  });

  it.each([
    ["max_characters", MODERATION_LIMITS.charactersMax, (size: number): Json => size],
    ["words", MODERATION_LIMITS.wordsMax, (size: number): Json => Array.from({ length: size }, () => "word")],
    ["patterns", MODERATION_LIMITS.patternsMax, (size: number): Json => Array.from({ length: size }, () => "x")],
    ["words[0]", 64, (size: number): Json => ["a".repeat(size)]],
    ["patterns[0]", 1_024, (size: number): Json => ["a".repeat(size)]],
  ])("holds the limit of %s", (path, limit, make) => {
    const key = path.replace("[0]", "");
    for (const size of [limit - 1, limit]) expect(problemsOf({ [key]: make(size) })).toEqual([]);
    expect(problemsOf({ [key]: make(limit + 1) })).toEqual([expect.stringContaining(` ${path}`)]);
  });

  it("takes no limit below one character", () => {
    expect(problemsOf({ max_characters: 0 })).toEqual(["bad_number max_characters"]);
    expect(problemsOf({ max_characters: 1 })).toEqual([]);
  });
});
