const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION_MS_MAX = 30 * 86_400_000;
export const DURATION_TEXT = /^(\d+(?:\.\d+)?)(s|m|h|d)$/;

/** Parses seconds, or a text such as `90s`, `15m`, `2h`, `3d`, into milliseconds. Undefined outside 1 ms to 30 days. */
export function parseDuration(value: number | string): number | undefined {
  const ms = Math.round(typeof value === "number" ? value * 1_000 : textToMs(value));
  return isSpan(ms) ? ms : undefined;
}

export function isSpan(ms: number): boolean {
  return ms >= 1 && ms <= DURATION_MS_MAX;
}

function textToMs(text: string): number {
  const match = DURATION_TEXT.exec(text.trim());
  const unit = UNIT_MS[match?.[2] ?? ""];
  return unit === undefined ? Number.NaN : Number(match?.[1]) * unit;
}
