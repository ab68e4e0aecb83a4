import { fail, getOwn, isJsonObject, succeed, type Json, type JsonObject, type Outcome } from "../core/base/index.ts";
import { isAlgorithm, type Algorithm } from "./verification-key.ts";

/** A token as it was sent, taken apart. Nothing of it is believed yet. */
export interface CompactToken {
  readonly algorithm: Algorithm;
  /** Null: the token does not say which key signed it. */
  readonly keyId: string | null;
  readonly claims: JsonObject;
  /** What was signed: the first two parts as they were sent. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

export const TOKEN_LENGTH_MAX = 16_384;
const KEY_ID_LENGTH_MAX = 256;

/** Tokens that let somebody in. One for another purpose (a logout, a proof) says so here, and must not pass as one. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/jwt", "application/at+jwt"]);

/** Takes a JSON Web Signature in compact form apart; whatever can be written in two ways is refused. */
export function readCompactToken(text: string): Outcome<CompactToken, string> {
  if (text.length > TOKEN_LENGTH_MAX) return fail(`A token has at most ${TOKEN_LENGTH_MAX} characters.`);
  const parts = text.split(".");
  const [head = "", body = "", tail = ""] = parts;
  if (parts.length !== 3) return fail("A signed token has three parts with dots between them.");
  const header = readPart(head);
  const claims = readPart(body);
  const signature = bytesOf(tail);
  if (header === null) return fail("The first part of the token is no JSON object in base64url.");
  if (claims === null) return fail("The second part of the token is no JSON object in base64url.");
  if (signature === null || signature.length === 0) return fail("The third part of the token is no signature.");
  const read = readHeader(header);
  if (!read.ok) return read;
  return succeed({ ...read.value, claims, signed: Buffer.from(`${head}.${body}`, "latin1"), signature });
}

/** A key or its address inside the token is never looked at: whoever forges a token could put their own there. */
function readHeader(header: JsonObject): Outcome<Pick<CompactToken, "algorithm" | "keyId">, string> {
  const algorithm = getOwn(header, "alg");
  if (!isAlgorithm(algorithm)) {
    return fail("The token is not signed with RS256, PS256, ES256, ES384 or EdDSA.");
  }
  if (Object.hasOwn(header, "crit")) return fail("The token demands an extension (crit) that is not known here.");
  const type = getOwn(header, "typ");
  if (type !== undefined && !(typeof type === "string" && TYPES.has(type.toLowerCase()))) {
    return fail("The token is of a type (typ) that lets nobody in.");
  }
  const keyId = getOwn(header, "kid") ?? null;
  if (keyId !== null && !(typeof keyId === "string" && keyId.length <= KEY_ID_LENGTH_MAX)) {
    return fail(`The kid of the token is no text of at most ${KEY_ID_LENGTH_MAX} characters.`);
  }
  return succeed({ algorithm, keyId });
}

function readPart(text: string): JsonObject | null {
  const bytes = bytesOf(text);
  if (bytes === null) return null;
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Node reads other alphabets, padding and spare bits too; only the one spelling of each value counts. */
function bytesOf(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : null;
}
