import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { getOwn, isJsonArray, type Json, type JsonObject } from "../core/base/index.ts";

export const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export function isAlgorithm(value: Json | undefined): value is Algorithm {
  return ALGORITHMS.some((algorithm) => algorithm === value);
}

/** A key of the issuer with what it may be used for, which the key itself decides and never a token. */
export interface VerificationKey {
  /** Null: the issuer gave it no name. */
  readonly id: string | null;
  readonly algorithms: readonly Algorithm[];
  readonly key: KeyObject;
}

/** Shorter keys can be broken, longer ones take too long to check. */
const MODULUS_BITS = { min: 2_048, max: 8_192 } as const;
const EXPONENT_MIN = 3n;

/** One entry of a key set; null when it is nothing that tokens can be checked with here. */
export function readVerificationKey(jwk: JsonObject): VerificationKey | null {
  const use = getOwn(jwk, "use");
  const operations = getOwn(jwk, "key_ops");
  if (use !== undefined && use !== "sig") return null;
  if (operations !== undefined && !(isJsonArray(operations) && operations.includes("verify"))) return null;
  const key = publicKeyOf(jwk);
  if (key === null) return null;
  const declared = getOwn(jwk, "alg");
  const algorithms = algorithmsOf(key).filter((algorithm) => declared === undefined || declared === algorithm);
  const id = getOwn(jwk, "kid");
  return algorithms.length === 0 ? null : { id: typeof id === "string" ? id : null, algorithms, key };
}

const PUBLIC_MEMBERS: ReadonlyMap<Json, readonly string[]> = new Map([
  ["RSA", ["n", "e"]],
  ["EC", ["crv", "x", "y"]],
  ["OKP", ["crv", "x"]],
]);

/** Only the public members are taken: a secret that was published by mistake stays out of this process. */
function publicKeyOf(jwk: JsonObject): KeyObject | null {
  const names = PUBLIC_MEMBERS.get(getOwn(jwk, "kty") ?? null);
  if (names === undefined) return null;
  const members = ["kty", ...names].map((name) => [name, getOwn(jwk, name)] as const);
  if (!members.every(([, value]) => typeof value === "string")) return null;
  try {
    return createPublicKey({ key: Object.fromEntries(members), format: "jwk" });
  } catch {
    return null;
  }
}

function algorithmsOf({ asymmetricKeyType: type, asymmetricKeyDetails: details = {} }: KeyObject): Algorithm[] {
  if (type === "ed25519") return ["EdDSA"];
  if (type === "ec") {
    if (details.namedCurve === "prime256v1") return ["ES256"];
    return details.namedCurve === "secp384r1" ? ["ES384"] : [];
  }
  const { modulusLength = 0, publicExponent = 0n } = details;
  const isSound = modulusLength >= MODULUS_BITS.min && modulusLength <= MODULUS_BITS.max;
  return type === "rsa" && isSound && publicExponent >= EXPONENT_MIN ? ["RS256", "PS256"] : [];
}

/** Whether the key signed it, by an algorithm the key is for. */
export function isSignedBy(
  { key, algorithms }: VerificationKey,
  algorithm: Algorithm,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (!algorithms.includes(algorithm)) return false;
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST } = constants;
  switch (algorithm) {
    case "RS256":
      return verify("sha256", signed, { key, padding: RSA_PKCS1_PADDING }, signature);
    case "PS256":
      return verify(
        "sha256",
        signed,
        { key, padding: RSA_PKCS1_PSS_PADDING, saltLength: RSA_PSS_SALTLEN_DIGEST },
        signature,
      );
    case "ES256":
      return verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    case "ES384":
      return verify("sha384", signed, { key, dsaEncoding: "ieee-p1363" }, signature);
    case "EdDSA":
      return verify(null, signed, key, signature);
  }
}
