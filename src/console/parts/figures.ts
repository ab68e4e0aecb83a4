/** Formats millionths of a dollar for people: two decimals for dollars, more for amounts below a cent. */
export function dollars(micros: number): string {
  const value = Math.abs(micros) / 1_000_000;
  const places = value === 0 || value >= 0.01 ? 2 : value >= 0.0001 ? 4 : 6;
  const [whole = "0", fraction = ""] = value.toFixed(places).split(".");
  return `${micros < 0 ? "−" : ""}$${grouped(whole)}.${fraction}`;
}

/** Formats an amount with all its decimals, without trailing zeros: $0.004200 → $0.0042. */
export function exactDollars(micros: number): string {
  const text = `${micros < 0 ? "−" : ""}$${(Math.abs(micros) / 1_000_000).toFixed(6)}`;
  return text.replace(/(\.\d\d\d*?)0+$/, "$1");
}

/** Groups digits: 12345678 → 12,345,678. */
export function grouped(count: number | string): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, ",");
}

/** Shortens a count where space is limited: 1_234_567 → 1.2M. */
export function short(count: number): string {
  if (count < 10_000) return grouped(count);
  for (const [size, sign] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (count >= size) return `${(count / size).toFixed(count >= size * 100 ? 0 : 1)}${sign}`;
  }
  return String(count);
}

const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
] as const;

/** Formats a duration in milliseconds: 3_725_000 → 1h 2m. Below ten seconds with a tenth. */
export function spanText(ms: number): string {
  if (ms < 0) return spanText(0);
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)}s`;
  const parts: string[] = [];
  let rest = ms;
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0 || parts.length > 0) parts.push(`${count}${unit}`);
    if (parts.length === 2) break;
  }
  return parts.filter((part, index) => index === 0 || !part.startsWith("0")).join(" ");
}

/** Formats the distance to a moment in one unit. */
export function agoText(thenMs: number, nowMs: number): string {
  const away = Math.abs(nowMs - thenMs);
  if (away < 5_000) return "now";
  const [size, unit] = UNITS.find(([each]) => away >= each) ?? [1_000, "s"];
  const text = `${Math.floor(away / size)}${unit}`;
  return thenMs > nowMs ? `in ${text}` : `${text} ago`;
}

/** Formats a moment such as 2026-11-15 16:08:29 in the requested timezone. */
export function clockText(ms: number, isUtc: boolean): string {
  const shift = isUtc ? 0 : new Date(ms).getTimezoneOffset() * 60_000;
  const text = new Date(ms - shift).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}${isUtc ? " UTC" : ""}`;
}
