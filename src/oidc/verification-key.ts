import { compactVerify, type CryptoKey, errors, importJWK, type JWK } from "jose";
import { getOwn, isJsonArray, type Json, type JsonObject } from "../core/base/index.ts";
import type { CompactToken } from "./compact-token.ts";

export const ALGORITHMS = ["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export function isAlgorithm(value: unknown): value is Algorithm {
  return ALGORITHMS.some((algorithm) => algorithm === value);
}

/** A public key of the issuer, with the algorithms it may be used for. The key decides the algorithms, never a token. */
export interface VerificationKey {
  /** Null when the issuer gave it no id. */
  readonly id: string | null;
  readonly byAlgorithm: ReadonlyMap<Algorithm, CryptoKey>;
}

/** Limits of the RSA modulus. Shorter keys are insecure, longer ones take too long to check. */
const MODULUS_BITS = { min: 2_048, max: 8_192 } as const;
const EXPONENT_MIN = 3n;

/** Imports one entry of a key set; null when it cannot verify tokens here. */
export async function readVerificationKey(jwk: JsonObject): Promise<VerificationKey | null> {
  const use = getOwn(jwk, "use");
  const operations = getOwn(jwk, "key_ops");
  if (use !== undefined && use !== "sig") return null;
  if (operations !== undefined && !(isJsonArray(operations) && operations.includes("verify"))) return null;
  const declared = getOwn(jwk, "alg");
  const wanted = algorithmsOf(jwk).filter((algorithm) => declared === undefined || declared === algorithm);
  const publicHalf = publicHalfOf(jwk);
  if (publicHalf === null) return null;
  const byAlgorithm = new Map<Algorithm, CryptoKey>();
  for (const algorithm of wanted) {
    const key = await importKey(publicHalf, algorithm);
    if (key !== null) byAlgorithm.set(algorithm, key);
  }
  const id = getOwn(jwk, "kid");
  return byAlgorithm.size === 0 ? null : { id: typeof id === "string" ? id : null, byAlgorithm };
}

function algorithmsOf(jwk: JsonObject): readonly Algorithm[] {
  switch (getOwn(jwk, "kty")) {
    case "RSA":
      return ["RS256", "PS256"];
    case "EC":
      return getOwn(jwk, "crv") === "P-384" ? ["ES384"] : ["ES256"];
    case "OKP":
      return ["EdDSA"];
    default:
      return [];
  }
}

const PUBLIC_MEMBERS: ReadonlyMap<Json, readonly string[]> = new Map([
  ["RSA", ["n", "e"]],
  ["EC", ["crv", "x", "y"]],
  ["OKP", ["crv", "x"]],
]);

/** Returns only the public members, so that a private key published by mistake does not enter this process. */
function publicHalfOf(jwk: JsonObject): JWK | null {
  const names = PUBLIC_MEMBERS.get(getOwn(jwk, "kty") ?? null);
  if (names === undefined) return null;
  const members = ["kty", ...names].map((name) => [name, getOwn(jwk, name)] as const);
  return members.every(([, value]) => typeof value === "string") ? Object.fromEntries(members) : null;
}

async function importKey(jwk: JWK, algorithm: Algorithm): Promise<CryptoKey | null> {
  try {
    const key = await importJWK(jwk, algorithm);
    return key instanceof Uint8Array || !isSound(key) ? null : key;
  } catch {
    return null;
  }
}

function isSound({ algorithm }: CryptoKey): boolean {
  const { modulusLength, publicExponent } = algorithm as Partial<RsaParameters>;
  if (modulusLength === undefined || publicExponent === undefined) return true;
  const exponent = BigInt(`0x${Buffer.from(publicExponent).toString("hex")}`);
  return modulusLength >= MODULUS_BITS.min && modulusLength <= MODULUS_BITS.max && exponent >= EXPONENT_MIN;
}

interface RsaParameters {
  readonly modulusLength: number;
  readonly publicExponent: Uint8Array;
}

/** Whether the key signed the token, with an algorithm that the key allows. */
export async function isSignedBy(
  { byAlgorithm }: VerificationKey,
  { text, algorithm }: Pick<CompactToken, "text" | "algorithm">,
): Promise<boolean> {
  const key = byAlgorithm.get(algorithm);
  if (key === undefined) return false;
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
