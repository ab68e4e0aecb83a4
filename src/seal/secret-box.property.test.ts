import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSecretBox } from "./secret-box.ts";

const box = createSecretBox("a secret");

describe("a secret box", () => {
  it("opens what it sealed, and every sealing looks different", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, place) => {
        const sealed = box.seal(text, place);
        expect(box.open(sealed, place)).toBe(text);
        expect(box.seal(text, place)).not.toBe(sealed);
      }),
      { numRuns: 200 },
    );
  });

  it("opens nothing sealed by another key, or for another place", () => {
    const sealed = box.seal("token", "one");
    expect(createSecretBox("a secre").open(sealed, "one")).toBeUndefined();
    expect(createSecretBox("").open(sealed, "one")).toBeUndefined();
    expect(box.open(sealed, "two")).toBeUndefined();
    expect(box.open(sealed, "")).toBeUndefined();
  });

  it("shows nothing of the text", () => {
    expect(box.seal("dsp_secret", "one")).not.toContain("dsp_secret");
    expect(Buffer.from(box.seal("dsp_secret", "one"), "base64url").toString("latin1")).not.toContain("dsp_secret");
  });

  it.each(["", ".", "...", "v1", "v1...", "v1.a.b.c", "v2.a.b.c", "plain text", "v1.AAAAAAAAAAAAAAAA.AAAA.AAAA"])(
    "opens nothing that is no sealed text: %j",
    (sealed) => {
      expect(box.open(sealed, "one")).toBeUndefined();
    },
  );

  it("takes no shortened tag", () => {
    const [version, nonce, tag = "", body] = box.seal("token", "one").split(".");
    for (const bytes of [4, 8, 12, 15]) {
      const short = Buffer.from(tag, "base64url").subarray(0, bytes).toString("base64url");
      expect(box.open([version, nonce, short, body].join("."), "one")).toBeUndefined();
    }
  });

  it("opens no sealed text in which a byte is another", () => {
    const sealed = box.seal("a token of some length", "one").split(".");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (part, at, flip) => {
        const bytes = Buffer.from(sealed[part] ?? "", "base64url");
        const index = at % bytes.length;
        bytes[index] = (bytes[index] ?? 0) ^ flip;
        const altered = sealed.map((text, place) => (place === part ? bytes.toString("base64url") : text));
        expect(box.open(altered.join("."), "one")).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
