import { constants, generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Algorithm } from "../../src/oidc/verification-key.ts";

/** A pair of keys with the name its public half is published under. */
export interface SigningKey {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly secret: KeyObject;
  readonly jwk: JsonWebKey;
}

export function makeKey(algorithm: Algorithm, id: string): SigningKey {
  const { privateKey, publicKey } = pairFor(algorithm);
  return { id, algorithm, secret: privateKey, jwk: { ...publicKey.export({ format: "jwk" }), kid: id, use: "sig" } };
}

function pairFor(algorithm: Algorithm): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  switch (algorithm) {
    case "RS256":
    case "PS256":
      return generateKeyPairSync("rsa", { modulusLength: 2_048 });
    case "ES256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" });
    case "ES384":
      return generateKeyPairSync("ec", { namedCurve: "P-384" });
    case "EdDSA":
      return generateKeyPairSync("ed25519");
  }
}

export function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
}

/** A token as an issuer would sign it; its header can be overridden. */
export function signToken(key: SigningKey, claims: object, header: object = {}): string {
  const signed = `${encode({ alg: key.algorithm, typ: "JWT", kid: key.id, ...header })}.${encode(claims)}`;
  return `${signed}.${signatureOf(key, Buffer.from(signed)).toString("base64url")}`;
}

function signatureOf({ algorithm, secret: key }: SigningKey, signed: Buffer): Buffer {
  const { RSA_PKCS1_PSS_PADDING: padding, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants;
  switch (algorithm) {
    case "RS256":
      return sign("sha256", signed, key);
    case "PS256":
      return sign("sha256", signed, { key, padding, saltLength });
    case "ES256":
      return sign("sha256", signed, { key, dsaEncoding: "ieee-p1363" });
    case "ES384":
      return sign("sha384", signed, { key, dsaEncoding: "ieee-p1363" });
    case "EdDSA":
      return sign(null, signed, key);
  }
}

export interface LocalIssuer {
  readonly url: string;
  /** Every path that was asked for. */
  readonly asked: string[];
  /** What it publishes; tests change it. */
  keys: readonly unknown[];
  /** What it says of itself beside or instead of the usual. */
  about: Record<string, unknown>;
  /** Answers every request in place of the usual, when set. */
  answer: { readonly status: number; readonly headers?: Record<string, string>; readonly body: string } | null;
  close(): Promise<void>;
}

/** An issuer of tokens on this machine. */
export async function startIssuer(keys: readonly SigningKey[], port = 0): Promise<LocalIssuer> {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const { answer } = issuer;
    if (answer !== null) {
      response.writeHead(answer.status, answer.headers).end(answer.body);
      return;
    }
    const isDiscovery = request.url === "/.well-known/openid-configuration";
    const said = isDiscovery
      ? { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...issuer.about }
      : { keys: issuer.keys };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const issuer: LocalIssuer = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    asked,
    keys: keys.map(({ jwk }) => jwk),
    about: {},
    answer: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}
