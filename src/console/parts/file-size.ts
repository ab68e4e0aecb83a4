const UNITS = ["B", "KiB", "MiB", "GiB"] as const;

/** Formats a size in bytes for people. */
export function fileSize(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const number = bytes / 1_024 ** unit;
  return `${unit === 0 ? number : number.toFixed(1)} ${UNITS[unit] ?? "B"}`;
}
