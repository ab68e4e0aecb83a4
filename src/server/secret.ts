import { createHash, randomBytes } from "node:crypto";
import type { KeyRecord } from "../store/index.ts";
import { PERMISSIONS } from "../contract/index.ts";

const SECRET_BYTES = 32;
const SECRET = /^slk_[A-Za-z0-9_-]{8,252}$/;

/** Creates the secret of a key, which is shown to its holder once. */
export function newSecret(): string {
  return `slk_${randomBytes(SECRET_BYTES).toString("base64url")}`;
}

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

export function hashSecret(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** Creates a secret for one purpose, such as a session or an invitation: 256 bits. */
export function newToken(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

const ID_BYTES = 12;

/** Returns an id such as `key_…`, `per_…`, `ses_…`, `inv_…`. */
export function newId(kind: "key" | "per" | "ses" | "inv" | "view"): string {
  return `${kind}_${randomBytes(ID_BYTES).toString("hex")}`;
}

/** Returns the first key of an installation. Its id is derived from the secret, so setting it again changes nothing. */
export function adminKey(orgId: string, secret: string, createdAt: number): KeyRecord {
  const hash = hashSecret(secret);
  return {
    id: `key_${hash.slice(0, 24)}`,
    orgId,
    hash,
    label: "admin",
    permissions: [...PERMISSIONS],
    agentId: null,
    isNamed: true,
    createdBy: null,
    personId: null,
    createdAt,
    expiresAt: null,
    revokedAt: null,
  };
}
