import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalIssuer, makeKey, signToken, startIssuer } from "../../test/oidc/issuer.ts";
import { PeerAgent } from "../outbound/index.ts";
import { TokenVerifier } from "./token-verifier.ts";
import { ALGORITHMS } from "./verification-key.ts";

const NOW = 1_800_000_000_000;
const keys = ALGORITHMS.map((algorithm) => makeKey(algorithm, `key-${algorithm}`));
const agent = new PeerAgent();
let issuer: LocalIssuer;
let verifier: TokenVerifier;

beforeAll(async () => {
  issuer = await startIssuer(keys);
  verifier = new TokenVerifier({
    issuer: issuer.url,
    audience: "sluice",
    organisation: { name: "default" },
    roleClaim: "sluice_role",
    now: () => NOW,
    agent,
    onTrouble: () => undefined,
  });
});
afterAll(async () => {
  agent.close();
  await issuer.close();
});

function goodClaims(): object {
  return { iss: issuer.url, aud: "sluice", sub: "ada", exp: NOW / 1_000 + 300, sluice_role: "viewer" };
}

describe("a token", () => {
  it.each(keys)("with $algorithm is refused when any one character of it is another", async (key) => {
    const token = signToken(key, goodClaims());
    expect((await verifier.verify(token)).ok).toBe(true);
    const other = fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: token.length - 1 }), other, async (at, character) => {
        fc.pre(token[at] !== character);
        const changed = token.slice(0, at) + character + token.slice(at + 1);
        expect((await verifier.verify(changed)).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it.each(keys)("with $algorithm is refused when any one bit of what its parts say is another", async (key) => {
    const parts = signToken(key, goodClaims()).split(".");
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 2 }), fc.nat(), fc.nat({ max: 7 }), async (which, place, bit) => {
        const bytes = Buffer.from(parts[which] ?? "", "base64url");
        const at = place % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        const changed = parts.with(which, bytes.toString("base64url")).join(".");
        expect((await verifier.verify(changed)).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it("is never believed when it is just any text, and nothing breaks", async () => {
    const part = fc.oneof(
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString("base64url")),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        expect((await verifier.verify(parts.join("."))).ok).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
