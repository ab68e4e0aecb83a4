import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutboundGuard } from "./outbound-guard.ts";

type Octets = readonly [number, number, number, number];

/** No name is resolved: everything here follows from the text alone. */
const guard = new OutboundGuard({
  resolve: (host) => {
    throw new Error(`${host} was resolved`);
  },
});

const byte = fc.nat(255);
const inside: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constant(127), byte, byte, byte),
  fc.tuple(fc.constant(10), byte, byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.constant(0), byte, byte, byte),
);
const outside: fc.Arbitrary<Octets> = fc.tuple(fc.constantFrom(1, 8, 9, 11, 93, 151), byte, byte, byte);

const dword = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const number = fc.constantFrom(
  (value: number) => String(value),
  (value: number) => `0x${value.toString(16)}`,
  (value: number) => `0X${value.toString(16).toUpperCase()}`,
  (value: number) => `0${value.toString(8)}`,
  (value: number) => `000000${value.toString(8)}`,
);
const FULL_WIDTH = 0xfee0;
const wide = (text: string): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) + FULL_WIDTH));
const dress = fc.constantFrom(
  (text: string) => text,
  (text: string) => `${text}.`,
  wide,
  (text: string) => text.replaceAll(".", "\u3002"),
  (text: string) => text.replaceAll(/[0-9]/g, (digit) => `%3${digit}`),
  (text: string) => `someone@${text}`,
  (text: string) => `93.184.215.14:80@${text}`,
);

/** Every way a URL parser takes to write the same IPv4 address. */
function spelled(octets: fc.Arbitrary<Octets>): fc.Arbitrary<string> {
  return fc
    .tuple(octets, fc.array(number, { minLength: 4, maxLength: 4 }), fc.nat(3), dress)
    .map(([[a, b, c, d], write, form, put]) => {
      const parts = [[a, b, c, d], [a, b, c * 256 + d], [a, (b * 256 + c) * 256 + d], [dword([a, b, c, d])]][
        form
      ] as number[];
      return put(parts.map((part, index) => write[index]?.(part) ?? "").join("."));
    });
}

const hex = (high: number, low: number): string => (high * 256 + low).toString(16);
const embedded = fc
  .tuple(inside, fc.nat(4))
  .map(
    ([[a, b, c, d], form]) =>
      [
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `[::ffff:${hex(a, b)}:${hex(c, d)}]`,
        `[64:ff9b::${a}.${b}.${c}.${d}]`,
        `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
        `[0:0:0:0:0:ffff:${hex(a, b)}:${hex(c, d)}]`,
      ][form],
  );
const tail = fc.constantFrom("", "/", "/health", "?a=b", "#@93.184.215.14");
const port = fc.constantFrom("", ":80", ":7718", ":443");

const refused = (host: string | undefined, rest: string): boolean => guard.before(`http://${host}${rest}`) !== null;

describe("a private address", () => {
  it("is refused in every spelling of IPv4", () => {
    fc.assert(
      fc.property(spelled(inside), port, tail, (host, at, rest) => {
        expect(refused(host, at + rest)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused inside IPv6: mapped, NAT64, 6to4", () => {
    fc.assert(fc.property(embedded, port, tail, (host, at, rest) => refused(host, at + rest)));
  });

  it.each([
    "[::1]",
    "[::]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[ff02::1]",
    "[fd00:ec2::254]",
    "localhost",
    "LOCALHOST.",
    "a.b.localhost",
    "ｌｏｃａｌｈｏｓｔ",
    "metadata.google.internal",
    "metadata.google.internal.",
  ])("is refused as %s", (host) => {
    expect(refused(host, ":7718/")).toBe(true);
  });
});

describe("a public address", () => {
  it("passes in every spelling that names nothing else", () => {
    const plain = spelled(outside).filter((host) => !host.includes("@"));
    fc.assert(fc.property(plain, port, (host, at) => !refused(host, at)));
  });
});

describe("what is no URL of a peer", () => {
  it.each([
    "http:///health",
    "http:////10.0.0.1/",
    "http:\\\\10.0.0.1\\",
    "http:10.0.0.1",
    "http://",
    "https://:443/",
    "http://93.184.215.14:0/",
    "http://user:password@93.184.215.14/",
    "http://user@93.184.215.14/",
    "ftp://93.184.215.14/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//93.184.215.14/",
    "93.184.215.14",
    "",
  ])("%j is refused", (text) => {
    expect(guard.before(text)).not.toBeNull();
  });
});
