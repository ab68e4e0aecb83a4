const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Formats a duration: `840 ms`, `1.2 s`, `2 min 05 s`, `3 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ${pad(Math.floor((ms % MINUTE_MS) / SECOND_MS))} s`;
  return `${Math.floor(ms / HOUR_MS)} h ${pad(Math.floor((ms % HOUR_MS) / MINUTE_MS))} min`;
}

/** Formats micro-dollars as dollars, with all significant digits and at least two decimals. */
export function formatCost(micros: number): string {
  const text = (Math.abs(micros) / 1_000_000).toFixed(6).replace(/0{1,4}$/, "");
  return `${micros < 0 ? "-" : ""}$${text}`;
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
