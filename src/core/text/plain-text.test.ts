import { describe, expect, it } from "vitest";
import { plainText } from "./plain-text.ts";

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
