import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from "node:crypto";
import type { Signing, VerifySignature } from "../core/audit/index.ts";
import type { GatewayStore } from "../store/index.ts";

const SEED_BYTES = 32;
/** The bytes before the seed of an Ed25519 key in PKCS #8, the format that Node reads. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const KEY_PREFIX = "ed25519:";
const SECRET_NAME = "audit_key";

/** Creates a signer from 32 secret bytes, written as 64 hexadecimal digits or as base64url. */
export function createSigner(seed: string): Signing {
  const bytes = /^[0-9a-f]{64}$/i.test(seed) ? Buffer.from(seed, "hex") : Buffer.from(seed, "base64url");
  if (bytes.length !== SEED_BYTES) {
    throw new Error(`the audit key must be ${SEED_BYTES} bytes, as 64 hexadecimal digits or base64url`);
  }
  const secret = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, bytes]), format: "der", type: "pkcs8" });
  const { x = "" } = createPublicKey(secret).export({ format: "jwk" });
  return {
    key: `${KEY_PREFIX}${x}`,
    sign: (text) => sign(null, Buffer.from(text), secret).toString("base64url"),
  };
}

/** Returns the signer of an installation. Without a seed, a key is created at the first start and stored. */
export async function installationSigner(
  store: Pick<GatewayStore, "ensureSecret">,
  seed: string | null,
): Promise<Signing> {
  return createSigner(seed ?? (await store.ensureSecret(SECRET_NAME, randomBytes(SEED_BYTES).toString("base64url"))));
}

/** Verifies a signature. A signature or key that cannot be read counts as wrong. */
export const verifySignature: VerifySignature = (key, text, signature) => {
  const bytes = Buffer.from(signature, "base64url");
  // Another encoding of the same bytes would be a change that is not detected.
  if (bytes.toString("base64url") !== signature) return false;
  const found = publicKeyOf(key);
  return found !== null && verify(null, Buffer.from(text), found, bytes);
};

/** True when a text is a public key for checking signatures. */
export function isPublicKey(key: string): boolean {
  return publicKeyOf(key) !== null;
}

function publicKeyOf(key: string): KeyObject | null {
  if (!key.startsWith(KEY_PREFIX)) return null;
  const x = key.slice(KEY_PREFIX.length);
  if (Buffer.from(x, "base64url").toString("base64url") !== x) return null;
  try {
    return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
  } catch {
    return null;
  }
}
