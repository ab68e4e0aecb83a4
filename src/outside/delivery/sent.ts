import type { AllowList, GuardedFailure, Resolve } from "../../outbound/index.ts";

/** Addresses that messages may go to besides public ones; for tests, also how names are resolved. */
export interface Reach {
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
}

/** The result of one try. */
export type Sent =
  | { readonly kind: "delivered"; readonly status: number | null }
  /** The receiver is permanently gone: status 410. */
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "failed"; readonly status: number | null; readonly error: string; readonly retryMs?: number }
  /** The delivery is not allowed or no longer needed, and another try would not change that. */
  | { readonly kind: "refused"; readonly error: string }
  /** Sluice aborted the try; whether the message arrived is unknown. */
  | { readonly kind: "aborted" };

const FINAL: ReadonlySet<GuardedFailure["code"]> = new Set([
  "url_scheme",
  "url_credentials",
  "url_private",
  "url_port",
]);

/** Returns the result of a request that received no answer. */
export function sentOfFailure({ code, message }: Pick<GuardedFailure, "code" | "message">): Sent {
  if (code === "aborted") return { kind: "aborted" };
  if (code === "url_redirect") {
    return { kind: "failed", status: null, error: "It redirects; write the address it leads to." };
  }
  return FINAL.has(code)
    ? { kind: "refused", error: `${code}: ${message}` }
    : { kind: "failed", status: null, error: `${code}: ${message}` };
}
