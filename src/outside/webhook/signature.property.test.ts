import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { keysOf, newHookSecret, sign, TOLERANCE_MS, verify } from "./signature.ts";

const secretArb = fc
  .uint8Array({ minLength: 1, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString("base64")}`);
const idArb = fc.stringMatching(/^[\x21-\x7e]{1,40}$/);

describe("signatures", () => {
  it("are those of any other implementation", () => {
    fc.assert(
      fc.property(secretArb, idArb, fc.json(), fc.integer({ min: 1, max: 4_000_000_000 }), (secret, id, body, at) => {
        const ours = sign(keysOf(secret), { id, timestamp: String(at) }, body);
        expect(ours).toBe(new Webhook(secret).sign(id, new Date(at * 1_000), body));
        expect(sign(keysOf(secret), { id, timestamp: String(at) }, Buffer.from(body))).toBe(ours);
      }),
      { numRuns: 200 },
    );
  });

  it("of a secret that is no base64 are made with its bytes", () => {
    for (const secret of [
      "correct horse battery",
      "whsec_",
      "whsec_a",
      "whsec_not base64!",
      "whsec_ok whsec_!",
      "päss-wörd",
    ]) {
      const oracle = new Webhook(Buffer.from(secret, "utf8"), { format: "raw" });
      const timestamp = "1700000000";
      expect(sign(keysOf(secret), { id: "m", timestamp }, "{}")).toBe(
        oracle.sign("m", new Date(1_700_000_000_000), "{}"),
      );
    }
  });

  it("are one per key while a secret is rotated, and either key fits", () => {
    const now = Date.now();
    const [old, fresh] = [newHookSecret(), newHookSecret()];
    const timestamp = String(Math.floor(now / 1_000));
    const signature = sign(keysOf(`${fresh} ${old}`), { id: "m", timestamp }, '{"a":1}');
    expect(signature.split(" ")).toHaveLength(2);
    const headers = { "webhook-id": "m", "webhook-timestamp": timestamp, "webhook-signature": signature };
    for (const secret of [old, fresh]) {
      expect(new Webhook(secret).verify('{"a":1}', headers)).toEqual({ a: 1 });
      expect(verify(keysOf(secret), { id: "m", timestamp }, signature, Buffer.from('{"a":1}'), now)).toBe("good");
    }
  });

  it("fit nothing that was changed", () => {
    const now = 1_700_000_000_000;
    const stamp = { id: "m", timestamp: "1700000000" };
    fc.assert(
      fc.property(secretArb, fc.json(), fc.nat(), (secret, body, place) => {
        const bytes = Buffer.from(body);
        const signature = new Webhook(secret).sign("m", new Date(now), body);
        const check = (parts: Partial<typeof stamp>, signed = signature, sent: Uint8Array = bytes) =>
          verify(keysOf(secret), { ...stamp, ...parts }, signed, sent, now);
        expect(check({})).toBe("good");
        expect(check({}, `v1a,${signature.slice(3)} ${signature} v2,x`)).toBe("good");
        const flipped = Buffer.from(bytes);
        flipped[place % flipped.length] = (flipped[place % flipped.length] ?? 0) ^ 1;
        expect(check({}, signature, flipped)).toBe("bad_signature");
        expect(check({ id: "n" })).toBe("bad_signature");
        expect(check({ timestamp: "1700000001" })).toBe("bad_signature");
        expect(check({ timestamp: "01700000000" })).toBe("bad_signature");
        for (const wrong of [
          "",
          "v1,",
          "v1",
          signature.slice(0, -1),
          signature.replace("v1,", "v2,"),
          `${signature}=`,
        ]) {
          expect(check({}, wrong)).toBe("bad_signature");
        }
        expect(verify(keysOf(newHookSecret()), stamp, signature, bytes, now)).toBe("bad_signature");
        expect(verify([], stamp, signature, bytes, now)).toBe("bad_signature");
      }),
      { numRuns: 100 },
    );
  });

  it("are good for five minutes before and after", () => {
    const keys = keysOf(newHookSecret());
    const at = 1_700_000_000_000;
    const signed = (timestamp: string, now: number) =>
      verify(keys, { id: "m", timestamp }, sign(keys, { id: "m", timestamp }, "{}"), Buffer.from("{}"), now);
    for (const [ms, expected] of [
      [TOLERANCE_MS - 1, "good"],
      [TOLERANCE_MS, "good"],
      [TOLERANCE_MS + 1, "bad_timestamp"],
    ] as const) {
      expect(signed("1700000000", at + ms)).toBe(expected);
      expect(signed("1700000000", at - ms)).toBe(expected);
    }
    for (const odd of ["", "now", "1.7e9", "-1700000000", " 1700000000", "99999999999999999999"]) {
      expect(signed(odd, at)).toBe("bad_timestamp");
    }
  });
});
