import { describe, expect, it } from "vitest";
import { excerptOf, plainText } from "./plain-text.ts";

describe("plainText", () => {
  it("shows what would steer a terminal or turn the reading direction", () => {
    expect(plainText("\u001b[31mred\u0000\u007f\u202egnp.exe\u2066\u200b")).toBe(
      "␛[31mred␀␡⟨U+202E⟩gnp.exe⟨U+2066⟩⟨U+200B⟩",
    );
  });

  it("leaves text, lines, tabs and other scripts as they are", () => {
    const text = 'a\tb\nc <img src=x onerror="alert(1)"> שלום 👩‍💻';
    expect(plainText(text)).toBe(text);
    expect(plainText("a\r\nb\rc")).toBe("a\nb␍c");
  });
});

describe("excerptOf", () => {
  it.each([
    [9, "start", { text: "x".repeat(9), before: 0, after: 0 }],
    [10, "end", { text: "x".repeat(10), before: 0, after: 0 }],
    [11, "start", { text: "x".repeat(10), before: 0, after: 1 }],
    [11, "end", { text: "x".repeat(10), before: 1, after: 0 }],
  ] as const)("of %i characters from the %s", (length, side, expected) => {
    expect(excerptOf("x".repeat(length), side, 10)).toEqual(expected);
  });
});
