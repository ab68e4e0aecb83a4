import { describe, expect, it } from "vitest";
import { documentOf, hasWords, searchWords } from "./index.ts";

const RUN = {
  runId: "run_01hq",
  workflow: "refund-order",
  args: {},
  labels: {},
  trigger: "api",
  traceId: "t1",
  parentRunId: null,
  model: null,
  errorCode: null,
  errorMessage: null,
};

function isFound(text: string, question: string): boolean {
  return hasWords(documentOf({ ...RUN, args: { text } }, []).words, searchWords(question));
}

describe("words", () => {
  it("are letters and digits in small letters, whatever stands between them", () => {
    expect(searchWords("Ada@Example.com, ÄRGER 12.50")).toEqual(
      ["ada", "example", "com", "ärger", "12", "50"].map((text) => ({ text, isPrefix: false })),
    );
    expect(searchWords("run_01HQ*")).toEqual([
      { text: "run", isPrefix: false },
      { text: "01hq", isPrefix: true },
    ]);
    expect(searchWords("!!! ' & |")).toEqual([]);
    expect(searchWords("a*")).toEqual([{ text: "a", isPrefix: false }]);
  });

  it("find a text by any of its words, and by characters where there are no spaces", () => {
    expect(isFound("Rückzahlung an Ada Lovelace", "ada rückzahlung")).toBe(true);
    expect(isFound("Rückzahlung", "rück")).toBe(false);
    expect(isFound("Rückzahlung", "rück*")).toBe(true);
    expect(isFound("東京都の注文ABC12", "注文")).toBe(true);
    expect(isFound("東京都の注文ABC12", "abc12")).toBe(true);
    expect(isFound("ﬁne", "fine")).toBe(true);
  });

  it("of a run are not those of what looks like a credential", () => {
    const key = `sk-${"aB3".repeat(10)}`;
    expect(isFound(`use ${key} now`, "now")).toBe(true);
    expect(isFound(`use ${key} now`, key)).toBe(false);
  });

  it("of a huge run are bounded", () => {
    const many = Array.from({ length: 50_000 }, (_, index) => `w${index}`).join(" ");
    expect(documentOf({ ...RUN, args: { many } }, []).words.size).toBe(2_000);
  });
});
