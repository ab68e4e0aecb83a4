import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyAddress, isInBlock, parseBlock } from "./address.ts";

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const dotted = octets.map((parts) => parts.join("."));
const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
const groups = octets.map(([a, b, c, d]) => [hex(a, b), hex(c, d)] as const);
const inverted = octets.map(([a, b, c, d]) => [hex(a ^ 255, b ^ 255), hex(c ^ 255, d ^ 255)] as const);
const group = fc.nat(0xffff).map((value) => value.toString(16));
/** Networks that are public themselves, so that only the embedding can refuse the address. */
const network = fc.constantFrom("2606:4700:0:1", "2a00:1450:4001:80b", "2001:470:1:2");

describe("embedded IPv4 addresses", () => {
  it("are refused whatever they are, in every form there is", () => {
    const embedded = fc.oneof(
      dotted.map((text) => `::ffff:${text}`),
      dotted.map((text) => `::${text}`),
      dotted.map((text) => `::ffff:0:${text}`),
      dotted.map((text) => `64:ff9b::${text}`),
      groups.map(([high, low]) => `64:ff9b:1::${high}:${low}`),
      fc.tuple(groups, group, group).map(([[high, low], a, b]) => `2002:${high}:${low}:${a}::${b}`),
      fc.tuple(inverted, group, group).map(([[high, low], a, b]) => `2001:0:${a}:1:8000:${b}:${high}:${low}`),
      fc
        .tuple(network, fc.constantFrom("0", "200"), dotted)
        .map(([prefix, mark, text]) => `${prefix}:${mark}:5efe:${text}`),
    );
    fc.assert(
      fc.property(embedded, (address) => {
        expect(classifyAddress(address)).not.toBe("public");
        expect(classifyAddress(address)).not.toBe("invalid");
      }),
      { numRuns: 500 },
    );
  });
});

describe("any text", () => {
  it("has a kind", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        expect(typeof classifyAddress(text)).toBe("string");
      }),
      { numRuns: 300 },
    );
  });

  it("is in the block that it makes, at every length", () => {
    fc.assert(
      fc.property(fc.oneof(dotted, fc.ipV6()), fc.nat(128), (address, length) => {
        const bits = Math.min(length, address.includes(":") ? 128 : 32);
        const block = parseBlock(`${address}/${bits}`);
        expect(block !== null && isInBlock(block, address)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
