import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, type LocalIssuer, makeKey, type SigningKey, signToken, startIssuer } from "../../test/oidc/issuer.ts";
import { PeerAgent } from "../outbound/index.ts";
import { TOKEN_LENGTH_MAX } from "./compact-token.ts";
import { type OidcSettings, TokenVerifier } from "./token-verifier.ts";
import { ALGORITHMS, type Algorithm } from "./verification-key.ts";

const START = 1_800_000_000;
const AUDIENCE = "sluice";
const KEYS = new Map(ALGORITHMS.map((algorithm) => [algorithm, makeKey(algorithm, `key-${algorithm}`)]));
const agent = new PeerAgent();
afterAll(() => agent.close());

let issuer: LocalIssuer;
let seconds = START;
let troubles: string[] = [];

function keyOf(algorithm: Algorithm): SigningKey {
  return KEYS.get(algorithm) ?? makeKey(algorithm, "never");
}

function verifierWith(more: Partial<OidcSettings> = {}): TokenVerifier {
  return new TokenVerifier({
    issuer: issuer.url,
    audience: AUDIENCE,
    organisation: { name: "default" },
    roleClaim: "sluice_role",
    now: () => seconds * 1_000,
    agent,
    onTrouble: (what, error) => void troubles.push(`${what}: ${String(error)}`),
    ...more,
  });
}

function claims(more: object = {}): object {
  return { iss: issuer.url, aud: AUDIENCE, sub: "ada", exp: START + 300, iat: START, sluice_role: "author", ...more };
}

const ES = keyOf("ES256");

async function codeFor(token: string, verifier = verifierWith()): Promise<string> {
  const outcome = await verifier.verify(token);
  return outcome.ok ? "believed" : outcome.failure.code;
}

beforeAll(async () => {
  issuer = await startIssuer([...KEYS.values()]);
});
beforeEach(() => {
  seconds = START;
  troubles = [];
});
afterEach(() => {
  issuer.keys = [...KEYS.values()].map(({ jwk }) => jwk);
  issuer.about = {};
  issuer.answer = null;
  issuer.asked.length = 0;
});
afterAll(() => issuer.close());

describe("a good token", () => {
  it.each(ALGORITHMS)("is believed with %s, and says whose it is", async (algorithm) => {
    const token = signToken(keyOf(algorithm), claims());
    expect(await verifierWith().verify(token)).toEqual({
      ok: true,
      value: {
        issuer: issuer.url,
        subject: "ada",
        email: null,
        name: "ada",
        label: "ada",
        organisation: "default",
        roles: ["author"],
        groups: [],
        expiresAt: (START + 300) * 1_000,
      },
    });
    expect(troubles).toEqual([]);
  });

  it("may be for several, may lack a kid, and may say that it is an access token", async () => {
    expect(await codeFor(signToken(ES, claims({ aud: ["other", AUDIENCE] })))).toBe("believed");
    expect(await codeFor(signToken(ES, claims(), { kid: undefined }))).toBe("believed");
    for (const typ of ["at+jwt", "application/at+JWT", "jwt", undefined]) {
      expect(await codeFor(signToken(ES, claims(), { typ }))).toBe("believed");
    }
  });

  it("is found among keys of the same name", async () => {
    issuer.keys = [makeKey("ES256", ES.id).jwk, keyOf("RS256").jwk, { ...keyOf("EdDSA").jwk, kid: ES.id }, ES.jwk];
    expect(await codeFor(signToken(ES, claims()))).toBe("believed");
  });

  it.each<[object, string]>([
    [{ email: "ada@example.com", email_verified: true, name: "Ada" }, "ada@example.com"],
    [{ email: "Ada@example.com", email_verified: "true" }, "ada@example.com"],
    [{ email: "root@example.com", name: "Ada" }, "Ada (ada)"],
    [{ email: "root@example.com" }, "ada"],
    [{ email: "root@example.com", email_verified: "false", name: "Ada" }, "Ada (ada)"],
    [{ email: "root@example.com", email_verified: false, name: "Ada" }, "Ada (ada)"],
    [{ email: 7, name: "Ada" }, "Ada (ada)"],
    [{ name: " " }, "ada"],
    [{ name: "a\u0000b" }, "ada"],
    [{ name: "\u202eada" }, "ada"],
    [{ name: "x".repeat(200) }, `${"x".repeat(200)} (ada)`],
    [{ name: "x".repeat(201) }, "ada"],
  ])("with %j is shown as %s", async (more, label) => {
    expect(await verifierWith().verify(signToken(ES, claims(more)))).toMatchObject({ ok: true, value: { label } });
  });

  it.each<[string, object, readonly string[]]>([
    ["sluice_role", { sluice_role: ["viewer", 7, "author"] }, ["viewer", "author"]],
    ["sluice_role", { sluice_role: { viewer: true } }, []],
    ["realm_access.roles", { realm_access: { roles: ["admin"] } }, ["admin"]],
    ["https://sluice.test/role", { "https://sluice.test/role": "admin" }, ["admin"]],
    ["constructor.name", {}, []],
    ["__proto__", {}, []],
  ])("gives the roles of the claim %s", async (roleClaim, more, roles) => {
    const token = signToken(ES, claims(more));
    expect(await verifierWith({ roleClaim }).verify(token)).toMatchObject({ ok: true, value: { roles } });
  });

  it("names its organisation where a claim is to", async () => {
    const verifier = verifierWith({ organisation: { claim: "org" } });
    expect(verifier.organisation).toBeNull();
    expect(verifierWith().organisation).toBe("default");
    const good = await verifier.verify(signToken(ES, claims({ org: "acme" })));
    expect(good).toMatchObject({ ok: true, value: { organisation: "acme" } });
    for (const org of [undefined, "", "a b", "../default", ["acme", "other"], 7, "x".repeat(65)]) {
      const refused = await verifier.verify(signToken(ES, claims({ org })));
      expect(refused).toMatchObject({ ok: false, failure: { code: "organisation_missing", subject: "ada" } });
    }
  });
});

describe("a token that is not believed", () => {
  it.each<[string, object, string]>([
    ["another issuer", { iss: "https://evil.test" }, "token_invalid"],
    ["no issuer", { iss: undefined }, "token_invalid"],
    ["another audience", { aud: "someone-else" }, "token_invalid"],
    ["a longer audience", { aud: `${AUDIENCE}2` }, "token_invalid"],
    ["no audience", { aud: undefined }, "token_invalid"],
    ["no subject", { sub: undefined }, "token_invalid"],
    ["an empty subject", { sub: "" }, "token_invalid"],
    ["a subject that cannot be stored", { sub: "a\u0000" }, "token_invalid"],
    ["a subject that is too long", { sub: "x".repeat(256) }, "token_invalid"],
    ["the longest subject", { sub: "x".repeat(255) }, "believed"],
    ["no end", { exp: undefined }, "token_invalid"],
    ["a text for an end", { exp: String(START + 300) }, "token_invalid"],
    ["an end beyond all dates", { exp: 1e300 }, "token_invalid"],
    ["its end just now", { exp: START }, "token_expired"],
    ["its end a moment ago", { exp: START - 0.001 }, "token_expired"],
    ["its end in a moment", { exp: START + 0.001 }, "believed"],
    ["a beginning within the leeway", { nbf: START + 60, iat: START + 60 }, "believed"],
    ["a beginning after the leeway", { nbf: START + 61 }, "token_not_yet_valid"],
    ["an issue after the leeway", { iat: START + 61 }, "token_not_yet_valid"],
    ["a beginning that is no number", { nbf: "now" }, "token_invalid"],
  ])("has %s", async (_what, more, code) => {
    expect(await codeFor(signToken(ES, claims(more)))).toBe(code);
  });

  it("must have the issuer to the last slash", async () => {
    expect(await codeFor(signToken(ES, claims({ iss: `${issuer.url}/` })))).toBe("token_invalid");
  });

  it.each<[string, object]>([
    ["alg none", { alg: "none" }],
    ["alg None", { alg: "None" }],
    ["HS256", { alg: "HS256" }],
    ["ES512", { alg: "ES512" }],
    ["no alg", { alg: undefined }],
    ["a list of algs", { alg: ["ES256"] }],
    ["an alg of another key type", { alg: "RS256" }],
    ["an alg of another curve", { alg: "ES384" }],
    ["crit", { crit: ["b64"], b64: false }],
    ["an empty crit", { crit: [] }],
    ["the type of a logout", { typ: "logout+jwt" }],
    ["a kid that is no text", { kid: 7 }],
    ["a kid that is too long", { kid: "x".repeat(257) }],
    ["a kid that is a path", { kid: "../../etc/passwd" }],
    ["a kid that is an address", { kid: "http://127.0.0.1:1/keys" }],
    ["a kid that is a property", { kid: "__proto__" }],
  ])("has %s", async (_what, header) => {
    expect(await codeFor(signToken(ES, claims(), header))).toBe("token_invalid");
  });

  it("was signed with the public key as a secret", async () => {
    const { jwk } = keyOf("RS256");
    const pem = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
    for (const secret of [pem, jwk.n ?? ""]) {
      const signed = `${encode({ alg: "HS256", kid: jwk["kid"] })}.${encode(claims())}`;
      const mac = createHmac("sha256", secret).update(signed).digest("base64url");
      expect(await codeFor(`${signed}.${mac}`)).toBe("token_invalid");
      // The same under a name that is taken, which makes a signature of it that does not fit.
      const renamed = `${encode({ alg: "RS256", kid: jwk["kid"] })}.${encode(claims())}`;
      expect(await codeFor(`${renamed}.${mac}`)).toBe("token_invalid");
    }
  });

  it("was signed with a key it brings along", async () => {
    const own = makeKey("ES256", "own");
    for (const header of [{ jwk: own.jwk }, { kid: ES.id, jwk: own.jwk }, { kid: ES.id, jku: `${issuer.url}/keys` }]) {
      expect(await codeFor(signToken(own, claims(), header))).toBe("token_invalid");
    }
  });

  it("was signed with a key that is for something else, or for another algorithm", async () => {
    const published = [{ use: "enc" }, { key_ops: ["sign"] }, { alg: "ES384" }, { alg: "ECDH-ES" }, { kty: "oct" }];
    for (const more of published) {
      issuer.keys = [{ ...ES.jwk, ...more }, keyOf("EdDSA").jwk];
      expect(await codeFor(signToken(ES, claims()))).toBe("token_invalid");
    }
    issuer.keys = [{ ...ES.jwk, key_ops: ["verify"], alg: "ES256" }];
    expect(await codeFor(signToken(ES, claims()))).toBe("believed");
  });

  it("was signed with a key that can be broken", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
    const jwk = { ...publicKey.export({ format: "jwk" }), kid: "weak" };
    issuer.keys = [jwk, ES.jwk];
    const weak: SigningKey = { id: "weak", algorithm: "RS256", secret: privateKey, jwk };
    expect(await codeFor(signToken(weak, claims()))).toBe("token_invalid");
  });

  it.each([
    "",
    ".",
    "..",
    "a.b",
    "a.b.c.d",
    `${encode({ alg: "ES256" })}..`,
    `${encode([])}.${encode({})}.AAAA`,
    `${encode({ alg: "ES256" })}.${encode("text")}.AAAA`,
    `${encode({ alg: "ES256" })}.${Buffer.from([0xff, 0xfe]).toString("base64url")}.AAAA`,
    `${encode({ alg: "ES256" })}.${Buffer.from("\ufeff{}").toString("base64url")}.AAAA`,
  ])("is %j", async (text) => {
    expect(await codeFor(text)).toBe("token_invalid");
  });

  it("is written in another way than the one", async () => {
    const token = signToken(keyOf("RS256"), claims());
    const standard = token.replaceAll("-", "+").replaceAll("_", "/");
    expect(standard).not.toBe(token);
    for (const text of [`${token}=`, `${token}\n`, token.replace(".", "=."), standard]) {
      expect(await codeFor(text)).toBe("token_invalid");
    }
  });

  it("has one character too many", async () => {
    const bare = signToken(ES, claims({ pad: "" })).length;
    const pads = (length: number): string => signToken(ES, claims({ pad: "x".repeat(length) }));
    let length = Math.floor(((TOKEN_LENGTH_MAX - bare) * 3) / 4);
    while (pads(length).length < TOKEN_LENGTH_MAX) length += 1;
    while (pads(length).length > TOKEN_LENGTH_MAX) length -= 1;
    const [longest, longer] = [pads(length), pads(length + 2)];
    expect(longest.length).toBeLessThanOrEqual(TOKEN_LENGTH_MAX);
    expect(longer.length).toBeGreaterThan(TOKEN_LENGTH_MAX);
    expect([await codeFor(longest), await codeFor(longer)]).toEqual(["believed", "token_invalid"]);
  });
});

describe("the keys of the issuer", () => {
  it("are asked for once, by however many come", async () => {
    const verifier = verifierWith();
    const token = signToken(ES, claims());
    await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)));
    await verifier.verify(token);
    expect(issuer.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  it("are not asked for because of a token that is refused anyway", async () => {
    const verifier = verifierWith();
    for (const more of [{ exp: START }, { iss: "x" }, { aud: "x" }]) await verifier.verify(signToken(ES, claims(more)));
    expect(issuer.asked).toEqual([]);
  });

  it("are asked for again when a new one is used, at most twice a minute", async () => {
    const verifier = verifierWith();
    expect(await codeFor(signToken(ES, claims()), verifier)).toBe("believed");
    const next = makeKey("ES256", "next");
    issuer.keys = [next.jwk];
    const token = signToken(next, claims());
    seconds += 29;
    expect(await codeFor(token, verifier)).toBe("token_invalid");
    seconds += 1;
    expect(await codeFor(token, verifier)).toBe("believed");
    expect(await codeFor(signToken(ES, claims()), verifier)).toBe("token_invalid");
    const missing = makeKey("ES256", "missing");
    for (let turn = 0; turn < 50; turn += 1) await verifier.verify(signToken(missing, claims(), { kid: `k${turn}` }));
    expect(issuer.asked.length).toBe(4);
  });

  it("are asked for again when a token without a kid fits none", async () => {
    const verifier = verifierWith();
    const next = makeKey("ES256", "next");
    const token = signToken(next, claims(), { kid: undefined });
    expect(await codeFor(token, verifier)).toBe("token_invalid");
    issuer.keys = [next.jwk];
    seconds += 30;
    expect(await codeFor(token, verifier)).toBe("believed");
  });

  it("are no longer believed ten minutes after they were withdrawn", async () => {
    const verifier = verifierWith();
    const token = signToken(ES, claims({ exp: START + 9_000 }));
    expect(await codeFor(token, verifier)).toBe("believed");
    issuer.keys = [keyOf("EdDSA").jwk];
    seconds += 599;
    expect(await codeFor(token, verifier)).toBe("believed");
    seconds += 1;
    expect(await codeFor(token, verifier)).toBe("token_invalid");
  });

  it("are good for an hour while the issuer is away, and come back with it", async () => {
    const verifier = verifierWith();
    const token = signToken(ES, claims({ exp: START + 90_000 }));
    expect(await codeFor(token, verifier)).toBe("believed");
    issuer.answer = { status: 500, body: "out of order" };
    seconds += 600;
    expect(await codeFor(token, verifier)).toBe("believed");
    seconds += 2_999;
    expect(await codeFor(token, verifier)).toBe("believed");
    // No token waited for this one.
    while (troubles.length < 2) await new Promise((resolve) => setImmediate(resolve));
    seconds += 6;
    expect(await codeFor(token, verifier)).toBe("issuer_unreachable");
    issuer.answer = null;
    expect(await codeFor(token, verifier)).toBe("issuer_unreachable");
    seconds += 5;
    expect(await codeFor(token, verifier)).toBe("believed");
    expect(troubles.length).toBe(3);
  });

  it("cannot be looked up while the issuer is away: an unknown name is no fault of the token then", async () => {
    const verifier = verifierWith();
    expect(await codeFor(signToken(ES, claims()), verifier)).toBe("believed");
    issuer.answer = { status: 500, body: "" };
    seconds += 30;
    const unknown = signToken(makeKey("ES256", "new"), claims());
    expect(await codeFor(unknown, verifier)).toBe("issuer_unreachable");
    expect(await codeFor(signToken(ES, claims()), verifier)).toBe("believed");
    expect(await codeFor(signToken(ES, claims({ exp: START })), verifier)).toBe("token_expired");
  });

  it.each<[string, () => void]>([
    ["redirects", () => (issuer.answer = { status: 302, headers: { location: `${issuer.url}/keys` }, body: "" })],
    ["is not found", () => (issuer.answer = { status: 404, body: "{}" })],
    ["is no JSON", () => (issuer.answer = { status: 200, body: "<html>" })],
    ["is no object", () => (issuer.answer = { status: 200, body: "[]" })],
    ["is huge", () => (issuer.answer = { status: 200, body: " ".repeat(262_145) })],
    ["speaks for another issuer", () => (issuer.about = { issuer: "https://evil.test" })],
    ["names no place of keys", () => (issuer.about = { jwks_uri: undefined })],
    ["names a file", () => (issuer.about = { jwks_uri: "file:///etc/passwd" })],
    ["names a place without https", () => (issuer.about = { jwks_uri: "http://example.com/keys" })],
    ["holds too many keys", () => (issuer.keys = Array.from({ length: 101 }, () => ES.jwk))],
    ["holds huge keys", () => (issuer.keys = [{ ...ES.jwk, x5c: ["x".repeat(262_144)] }])],
    ["holds no key of use", () => (issuer.keys = [{ kty: "oct", k: "AAAA", kid: ES.id }, null, 7, { kty: "EC" }])],
  ])("cannot be had from one whose answer %s", async (_what, change) => {
    change();
    expect(await verifierWith().verify(signToken(ES, claims()))).toEqual({
      ok: false,
      failure: { code: "issuer_unreachable", message: expect.stringMatching(/try again later/), subject: null },
    });
    expect(troubles.length).toBe(1);
  });

  it("are read among a hundred", async () => {
    issuer.keys = [...Array.from({ length: 99 }, () => keyOf("EdDSA").jwk), ES.jwk];
    expect(await codeFor(signToken(ES, claims()))).toBe("believed");
  });

  it("cannot be had from one that is gone", async () => {
    const gone = await startIssuer([]);
    await gone.close();
    const verifier = verifierWith({ issuer: gone.url });
    const token = signToken(ES, claims({ iss: gone.url }));
    expect(await codeFor(token, verifier)).toBe("issuer_unreachable");
    expect(await codeFor(token, verifier)).toBe("issuer_unreachable");
    expect(troubles.length).toBe(1);
    expect(troubles[0]).not.toContain(token.slice(0, 20));
  });
});
