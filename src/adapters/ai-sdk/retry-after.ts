/** Returns the waiting time that the server requests, in milliseconds. Undefined when it gives no valid time. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const precise = decimalOf(headerOf(headers, "retry-after-ms"));
  if (precise !== undefined) return Math.ceil(precise);
  const text = headerOf(headers, "retry-after");
  const seconds = decimalOf(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  // An HTTP date begins with its weekday. Date.parse alone would also read "-5" as a year.
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1].trim();
}

function decimalOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
