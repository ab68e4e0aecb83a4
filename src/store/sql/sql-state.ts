/** The five-letter code a database gave with its refusal, '' when the error is of another kind. */
export function sqlState(error: unknown): string {
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}
