const MICROS_PER_USD = 1_000_000;

export function toUsd(micros: number): number {
  return micros / MICROS_PER_USD;
}

/** Formats micro-dollars as dollars with at least two decimals, and with all six where they are needed. */
export function usdText(micros: number): string {
  if (!Number.isFinite(micros)) return String(micros);
  const size = Math.abs(Math.round(micros));
  const digits = String(size % MICROS_PER_USD).padStart(6, "0");
  const fraction = digits.slice(0, 2) + digits.slice(2).replace(/0+$/, "");
  return `${micros < 0 ? "-" : ""}${Math.floor(size / MICROS_PER_USD)}.${fraction}`;
}
