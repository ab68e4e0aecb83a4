/** Figures as people read them: the ratio first, then what it is a ratio of. */
export interface Line {
  readonly what: string;
  /** Of what the bar or the base is; 1 is on it. */
  readonly ratio: number | null;
  readonly value: number;
  readonly unit: string;
  readonly against: string;
}

export function table(title: string, lines: readonly Line[]): string {
  const rows = lines.map(({ what, ratio, value, unit, against }) => [
    ratio === null ? "" : ratio.toFixed(2),
    what,
    `${rounded(value)} ${unit}`,
    ratio === null ? "" : `of ${against}`,
  ]);
  const all = [["ratio", title, "figure", "ratio of"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row.map((cell, column) =>
        column % 2 === 0 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      ),
    )
    .map((row) => row.join("  ").trimEnd())
    .join("\n");
}

/** A figure beside the bar it should stay below: a ratio of at most 1. */
export function atMost(what: string, value: number, unit: string, max: number): Line {
  return { what, ratio: value / max, value, unit, against: `at most ${max}` };
}

/** A figure beside the bar it should reach: a ratio of at least 1. */
export function atLeast(what: string, value: number, unit: string, min: number): Line {
  return { what, ratio: value / min, value, unit, against: `at least ${min}` };
}

export function rounded(value: number): string {
  if (Math.abs(value) >= 100) return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
  return value.toFixed(value >= 10 ? 1 : 2);
}
