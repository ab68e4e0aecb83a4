import { refusalLine, type SecretRefusal } from "../../secrets/index.ts";
import type { Sent } from "../delivery/index.ts";

/** Returns the result of a try whose secret was refused. It is retried only when an outside source of the secret is unavailable. */
export function sentOfRefusal(refusal: SecretRefusal): Sent {
  const error = `Not sent: ${refusalLine(refusal)}`;
  if (refusal.code === "secret_source_unavailable") return { kind: "failed", status: null, error };
  return { kind: "refused", error };
}
