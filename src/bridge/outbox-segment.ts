import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type EndedLine, readOutboxLine, type SettledLine } from "./outbox-line.ts";

const NAME = /^\d{8}\.ndjson$/;

/** One file of the outbox. Only the process that created it writes to it. */
export class Segment {
  readonly path: string;
  readonly openedAt: number;
  /** The dispatches whose results were written to this file, including those moved later. */
  readonly ids: string[] = [];
  bytes = 0;
  newestAt: number;

  constructor(directory: string, number: number, now: number) {
    this.path = join(directory, `${String(number).padStart(8, "0")}.ndjson`);
    this.openedAt = now;
    this.newestAt = now;
  }

  /** Yields the complete lines of an existing file with their positions. A line that a crash cut off is left out. */
  *lines(): Generator<{ readonly line: EndedLine | SettledLine; readonly start: number }> {
    const bytes = readFileSync(this.path);
    this.bytes = bytes.length;
    this.newestAt = 0;
    for (let start = 0; start < bytes.length;) {
      const end = bytes.indexOf(0x0a, start);
      if (end < 0) return;
      const line = readOutboxLine(bytes.subarray(start, end));
      if (line !== null) yield { line, start };
      start = end + 1;
    }
  }

  /** Reads text from the file. Undefined when the file is missing or too short. */
  textAt(start: number, length: number): string | undefined {
    try {
      const file = openSync(this.path, "r");
      try {
        const bytes = Buffer.alloc(length);
        return readSync(file, bytes, 0, length, start) === length ? bytes.toString("utf8") : undefined;
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** The numbers of the segments in a directory, oldest first. */
export function segmentNumbers(directory: string): readonly number[] {
  const names = readdirSync(directory).filter((name) => NAME.test(name));
  return names.map((name) => Number.parseInt(name, 10)).sort((left, right) => left - right);
}
