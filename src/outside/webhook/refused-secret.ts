import { refusalLine, type SecretRefusal } from "../../secrets/index.ts";
import type { Sent } from "../delivery/index.ts";

/** A message whose secret is not given. Only a place outside that cannot be read now may be readable later. */
export function sentOfRefusal(refusal: SecretRefusal): Sent {
  const error = `Not sent: ${refusalLine(refusal)}`;
  if (refusal.code === "secret_source_unavailable") return { kind: "failed", status: null, error };
  return { kind: "refused", error };
}
