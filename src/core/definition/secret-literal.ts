import { getOwn, isJsonArray, isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { findCredential } from "../redaction/index.ts";
import { nameOf } from "./shape.ts";

/** Key set by authors when a text only looks like a secret. It applies to everything inside the map that contains it. */
export const ALLOW_KEY = "allow_secret_literals";

export const SECRET_HINT = `Keep secrets in the environment of the Bridge and name them there; for a false alarm write ${ALLOW_KEY}: true.`;

/** Maximum depth of the search. Texts are never nested deeper, and deeper data is refused elsewhere. */
const DEPTH_MAX = 100;

/** Keys that may indicate a secret. */
const KEYS = /pass|key|token|secret/i;

/** A text that looks like a secret. The secret itself is not included. */
export interface SecretLiteral {
  readonly path: TreePath;
  readonly message: string;
  /** Offset in the text at which the secret begins. */
  readonly offset: number;
}

/** Returns every text of a document or spec that looks like a secret. Fields in `writeOnly` may contain one and are skipped. */
export function findSecretLiterals(root: Json, writeOnly: readonly string[] = []): readonly SecretLiteral[] {
  const found: SecretLiteral[] = [];
  const visit = (value: Json, path: TreePath): void => {
    if (path.length > DEPTH_MAX) return;
    if (typeof value === "string") {
      const literal = secretAt(value, path);
      if (literal !== undefined) found.push(literal);
    } else if (isJsonArray(value)) {
      value.forEach((item, index) => visit(item, [...path, index]));
    } else if (isJsonObject(value) && getOwn(value, ALLOW_KEY) !== true) {
      for (const [key, member] of Object.entries(value)) {
        if (path.length > 0 || !writeOnly.includes(key)) visit(member, [...path, key]);
      }
    }
  };
  visit(root, []);
  return found;
}

function secretAt(text: string, path: TreePath): SecretLiteral | undefined {
  const key = path.at(-1);
  const plain = findCredential(text);
  // `password: …` is recognised by its key, so the key is added to the text.
  const named = plain === null && typeof key === "string" && KEYS.test(key) ? findCredential(`${key}: ${text}`) : null;
  const name = plain?.name ?? named?.name;
  if (name === undefined) return undefined;
  const message = `${nameOf(path)} holds what looks like ${name}, and every person who may read this could use it.`;
  return { path, message, offset: plain?.position ?? 0 };
}
