import { randomBytes } from "node:crypto";

const SALT_BYTES = 32;

/** Creates the salt for the keyed hashes of one subject's texts, in hexadecimal. */
export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString("hex");
}
