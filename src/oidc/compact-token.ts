import { decodeJwt, decodeProtectedHeader, type ProtectedHeaderParameters } from "jose";
import { fail, type JsonObject, succeed, type Outcome } from "../core/base/index.ts";
import { isAlgorithm, type Algorithm } from "./verification-key.ts";

/** A decoded token. Nothing in it is verified yet. */
export interface CompactToken {
  /** The original text, which the signature is verified against. */
  readonly text: string;
  readonly algorithm: Algorithm;
  /** Null when the token does not name its signing key. */
  readonly keyId: string | null;
  readonly claims: JsonObject;
}

export const TOKEN_LENGTH_MAX = 16_384;
const KEY_ID_LENGTH_MAX = 256;

/** Token types for authentication. Tokens for other purposes (a logout, a proof) have other types. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/jwt", "application/at+jwt"]);

/** Decodes a JSON Web Signature in compact form. Refuses encodings that are not canonical. */
export function readCompactToken(text: string): Outcome<CompactToken, string> {
  if (text.length > TOKEN_LENGTH_MAX) return fail(`A token has at most ${TOKEN_LENGTH_MAX} characters.`);
  const parts = text.split(".");
  if (parts.length !== 3 || !parts.every(isCanonical)) {
    return fail("A signed token has three parts in base64url with dots between them.");
  }
  const header = decoded(() => decodeProtectedHeader(text));
  if (header === null) return fail("The first part of the token is no JSON object.");
  const claims = decoded(() => decodeJwt(text) as JsonObject);
  if (claims === null) return fail("The second part of the token is no JSON object.");
  const read = readHeader(header);
  return read.ok ? succeed({ ...read.value, text, claims }) : read;
}

/** Reads the header. A key or key URL inside the token is never used, because a forger could insert their own. */
function readHeader(header: ProtectedHeaderParameters): Outcome<Pick<CompactToken, "algorithm" | "keyId">, string> {
  const { alg, typ, kid = null } = header;
  if (!isAlgorithm(alg)) return fail("The token is not signed with RS256, PS256, ES256, ES384 or EdDSA.");
  if (Object.hasOwn(header, "crit")) return fail("The token demands an extension (crit) that is not known here.");
  if (typ !== undefined && !(typeof typ === "string" && TYPES.has(typ.toLowerCase()))) {
    return fail("The token is of a type (typ) that is not for signing in.");
  }
  if (kid !== null && !(typeof kid === "string" && kid.length <= KEY_ID_LENGTH_MAX)) {
    return fail(`The kid of the token is no text of at most ${KEY_ID_LENGTH_MAX} characters.`);
  }
  return succeed({ algorithm: alg, keyId: kid });
}

function decoded<T>(decode: () => T): T | null {
  try {
    return decode();
  } catch {
    return null;
  }
}

/** Decoders also accept padding, spaces and spare bits. Only the canonical encoding of a value is accepted. */
function isCanonical(part: string): boolean {
  return part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;
}
