import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/index.ts";
import { createRedactor, SECRET_LENGTH_MIN } from "./index.ts";

const tight = fc.string({
  unit: fc.constantFrom("a", "b", "[", "]", ":", "\\", "%", "/", "é"),
  minLength: 6,
  maxLength: 12,
});
const wide = fc.string({ unit: "binary", minLength: SECRET_LENGTH_MIN, maxLength: 40 });
const value = fc.oneof(tight, wide).filter((text) => text.length >= SECRET_LENGTH_MIN);
const secrets = fc
  .array(value, { minLength: 1, maxLength: 5 })
  .map((values) => values.map((text, index) => ({ name: `KEY_${String(index)}`, value: text })));

/** The ways a tool may write a secret down, made by the platform and not by the room under test. */
function shapesOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(bytes.toString());
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replaceAll(/%../g, (code) => code.toLowerCase()),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    ...["", "a", "ab"].flatMap((before) => {
      const encoded = Buffer.concat([Buffer.from(before), bytes]);
      return [encoded.toString("base64"), encoded.toString("base64url")].map((text) =>
        inner(text, before.length, bytes),
      );
    }),
  ];
}

/** The characters of an encoding that hold bits of the secret only. */
function inner(encoded: string, before: number, bytes: Buffer): string {
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

const scene = secrets.chain((list) =>
  fc.record({
    secrets: fc.constant(list),
    pieces: fc.array(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 10 }),
        fc.string({ unit: fc.constantFrom("a", "b", "[", "]", "\\", "%"), maxLength: 6 }),
        fc.constantFrom(...list.flatMap((secret) => shapesOf(secret.value))),
        fc.constantFrom(...list).map((secret) => secret.value.slice(0, -1)),
        fc.constantFrom("[redacted:KEY_0]", "[redacted:", "█"),
      ),
      { maxLength: 8 },
    ),
    cuts: fc.array(fc.nat(300), { maxLength: 12 }),
  }),
);

function cut(text: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((place) => Math.min(place, text.length)))].sort((a, b) => a - b);
  return [...places, text.length].map((place, index) => text.slice(places[index - 1] ?? 0, place));
}

describe("laws", () => {
  it("no shape of a secret survives", () => {
    fc.assert(
      fc.property(scene, ({ secrets: list, pieces }) => {
        const out = createRedactor(list).text(pieces.join(""));
        for (const secret of list) for (const shape of shapesOf(secret.value)) expect(out.includes(shape)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("pieces come out as the whole does, wherever they are cut", () => {
    fc.assert(
      fc.property(scene, ({ secrets: list, pieces, cuts }) => {
        const redactor = createRedactor(list);
        const text = pieces.join("");
        const stream = redactor.stream();
        const out =
          cut(text, cuts)
            .map((piece) => stream.push(piece))
            .join("") + stream.flush();
        expect(out).toBe(redactor.text(text));
        const byUnit =
          text
            .split("")
            .map((unit) => stream.push(unit))
            .join("") + stream.flush();
        expect(byUnit).toBe(out);
      }),
      { numRuns: 500 },
    );
  });

  it("what came out goes through again unchanged", () => {
    fc.assert(
      fc.property(scene, ({ secrets: list, pieces }) => {
        const redactor = createRedactor(list);
        const once = redactor.text(pieces.join(""));
        expect(redactor.text(once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it("text without secrets is unchanged", () => {
    const redactor = createRedactor([{ name: "K", value: "☃-never-☃" }]);
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        expect(redactor.text(text)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it("a value keeps its form, and no secret is left in its text", () => {
    fc.assert(
      fc.property(secrets, fc.jsonValue(), (list, json) => {
        const redactor = createRedactor(list);
        const planted = { deep: [json, { [list[0]?.value ?? ""]: list.map((secret) => secret.value) }] } as Json;
        const out = redactor.json(planted);
        expect(redactor.json(out)).toEqual(out);
        for (const text of textsOf(out)) for (const secret of list) expect(text.includes(secret.value)).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

function textsOf(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...textsOf(member)]);
}
