import type { LogLine } from "../adapter/index.ts";
import type { TimedLine } from "./execution-outcome.ts";

export const LOG_LINES_MAX = 1_000;
export const LOG_LENGTH_MAX = 262_144;

const LEVELS: ReadonlySet<unknown> = new Set(["debug", "info", "warning", "error"]);

/** The log lines of an adapter, up to a limit. The last line states how many lines were left out. */
export class LogBook {
  readonly #lines: TimedLine[] = [];
  #length = 0;
  #leftOut = 0;
  #lastAt = 0;

  add(line: LogLine, at: number, redact: (text: string) => string): void {
    this.#lastAt = at;
    if (this.#lines.length >= LOG_LINES_MAX - 1 || this.#length >= LOG_LENGTH_MAX) {
      this.#leftOut += 1;
      return;
    }
    const level = LEVELS.has(line.level) ? line.level : "info";
    const given: unknown = line.message;
    const message = redact(typeof given === "string" ? given : (JSON.stringify(given) ?? "")).slice(
      0,
      LOG_LENGTH_MAX - this.#length,
    );
    this.#length += message.length;
    this.#lines.push({ level, message, at });
  }

  lines(): readonly TimedLine[] {
    if (this.#leftOut === 0) return this.#lines;
    const message = `${this.#leftOut} further log lines were left out.`;
    return [...this.#lines, { level: "info", message, at: this.#lastAt }];
  }
}
