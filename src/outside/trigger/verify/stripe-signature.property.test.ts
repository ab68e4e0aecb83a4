import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verification } from "../../../registry/index.ts";
import { SCHEMES } from "./schemes.ts";
import { readStripeSignature } from "./stripe-signature.ts";

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));
const time = fc.integer({ min: 0, max: 999_999_999_999 }).map(String);
const other = fc.record({ scheme: fc.constantFrom("v0", "v2", "x"), value: fc.stringMatching(/^[^,]{0,20}$/) });

describe("a Stripe-Signature", () => {
  it("gives back its time and its signatures, wherever they stand", () => {
    const parts = fc.record({ time, digests: fc.array(digest, { maxLength: 16 }), others: fc.array(other) });
    fc.assert(
      fc.property(parts, fc.infiniteStream(fc.nat()), ({ time, digests, others }, draws) => {
        const items = [`t=${time}`, ...others.map(({ scheme, value }) => `${scheme}=${value}`)];
        for (const one of digests) {
          items.splice(draws.next().value % (items.length + 1), 0, `v1=${one}`);
        }
        const read = readStripeSignature(items.join(","));
        expect(read?.timestamp).toBe(time);
        expect(read?.signatures.map((one) => Buffer.from(one).toString("hex")).sort()).toEqual([...digests].sort());
      }),
    );
  });

  it("is none when it has no time, two of them, or too many signatures", () => {
    fc.assert(
      fc.property(time, digest, (at, one) => {
        expect(readStripeSignature(`v1=${one}`)).toBeNull();
        expect(readStripeSignature(`t=${at},t=${at},v1=${one}`)).toBeNull();
        expect(readStripeSignature(`t=${at},${Array(17).fill(`v1=${one}`).join(",")}`)).toBeNull();
      }),
    );
  });
});

const VERIFICATIONS = ["standard", "github", "stripe", "slack", "hmac", "basic", "bearer"] as const;
const HEADERS: readonly string[] = [
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  "x-hub-signature-256",
  "stripe-signature",
  "x-slack-signature",
  "x-slack-request-timestamp",
  "x-signature",
  "authorization",
];

describe("any header", () => {
  const verdictOf = (verify: Verification, header: (name: string) => string | null, body: Uint8Array): string =>
    SCHEMES[verify].verify({
      secrets: ["a-secret-of-both-sides"],
      message: { header, body },
      source: { kind: "hook", verify, idFrom: null, header: "x-signature", encoding: "hex" },
      now: 1_700_000_000_000,
    });

  it("is read without a failure, and believed only when it is right", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(
        /^(?:t=\d{0,12},?|v[01]=[0-9a-f]{0,64},?|sha256=[0-9a-f]{0,64}|v1,[A-Za-z0-9+/=]{0,44} ?|B\w+ \w*){0,4}$/,
      ),
    );
    const headers = fc.record(Object.fromEntries(HEADERS.map((name) => [name, fc.option(words)])));
    fc.assert(
      fc.property(fc.constantFrom(...VERIFICATIONS), headers, fc.uint8Array(), (verify, given, body) => {
        expect(verdictOf(verify, (name) => given[name] ?? null, body)).toBe("bad_signature");
      }),
    );
  });

  it("of a signature is believed for exactly the bytes that were signed", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (body, changed) => {
        const signature = createHmac("sha256", "a-secret-of-both-sides").update(body).digest("hex");
        const header = (): string => `sha256=${signature}`;
        expect(verdictOf("github", header, body)).toBe("good");
        const isSame = Buffer.from(body).equals(Buffer.from(changed));
        expect(verdictOf("github", header, changed)).toBe(isSame ? "good" : "bad_signature");
      }),
    );
  });
});
