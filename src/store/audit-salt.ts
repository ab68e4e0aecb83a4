import { randomBytes } from "node:crypto";

const SALT_BYTES = 32;

/** What the keyed hashes of one subject's texts are made with; hexadecimal. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString("hex");
}
