import { describe, expect, it } from "vitest";
import { isInlineImage } from "./inline-image.tsx";

describe("an image", () => {
  it("is shown only when it is part of the text, and can hold nothing but a picture", () => {
    expect(isInlineImage("data:image/png;base64,iVBORw0KGgo=")).toBe(true);
    for (const address of [
      "http://example.com/a.png",
      "//example.com/a.png",
      "data:image/svg+xml;base64,PHN2Zz4=",
      "data:text/html;base64,PHN2Zz4=",
      "data:image/png,<svg>",
      "javascript:alert(1)",
    ]) {
      expect(isInlineImage(address), address).toBe(false);
    }
  });
});
