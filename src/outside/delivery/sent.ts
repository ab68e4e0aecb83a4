import type { AllowList, GuardedFailure, Resolve } from "../../outbound/index.ts";

/** Where messages may go besides public addresses; for tests, also how names are looked up. */
export interface Reach {
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
}

/** What became of one try. */
export type Sent =
  | { readonly kind: "delivered"; readonly status: number | null }
  /** Gone for good: 410. */
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "failed"; readonly status: number | null; readonly error: string; readonly retryMs?: number }
  /** It may not be sent there, or need not be sent any more, and trying again would not change that. */
  | { readonly kind: "refused"; readonly error: string }
  /** We stopped; whether it arrived is not known. */
  | { readonly kind: "aborted" };

const FINAL: ReadonlySet<GuardedFailure["code"]> = new Set([
  "url_scheme",
  "url_credentials",
  "url_private",
  "url_port",
]);

/** A request that brought no answer. */
export function sentOfFailure({ code, message }: Pick<GuardedFailure, "code" | "message">): Sent {
  if (code === "aborted") return { kind: "aborted" };
  if (code === "url_redirect") {
    return { kind: "failed", status: null, error: "It redirects; write the address it leads to." };
  }
  return FINAL.has(code)
    ? { kind: "refused", error: `${code}: ${message}` }
    : { kind: "failed", status: null, error: `${code}: ${message}` };
}
