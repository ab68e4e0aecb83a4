import type { AdapterResult } from "../adapter/index.ts";

type Failed = Extract<AdapterResult, { status: "failed" }>;

/** Codes of temporary problems. With any other code, a retry would be refused again. */
const PASSING: ReadonlySet<string> = new Set(["file_store_unavailable", "bad_ticket", "ticket_expired"]);

/** Returns the error of reading or writing a file as a failure of the attempt. */
export function fileFailure(thrown: unknown): Failed {
  const code = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : null;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (code === null || PASSING.has(code)) {
    return { status: "failed", failure: "provider_error", message: `${code ?? "file_store_unavailable"}: ${message}` };
  }
  return { status: "failed", failure: "provider_refused", message: `${code}: ${message}`, retryable: false };
}
