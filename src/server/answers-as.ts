import type { Principal } from "./auth.ts";

/** Under which names of an approver list the caller answers. */
export function answersAs({ keyId, label }: Principal): readonly string[] {
  return [`key:${keyId}`, `key:${label}`];
}
