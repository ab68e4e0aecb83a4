import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Append, appendBytes } from "./append.ts";
import type { Begun } from "./executions.ts";

const KEEP_MS = 7 * 24 * 3_600_000;
/** Number of records between compactions, so that a Bridge that is never restarted also drops old ids. */
const COMPACT_EVERY = 100_000;

export interface JournalOptions {
  readonly directory: string;
  readonly now: number;
  readonly append?: Append;
}

const lineSchema = z.object({ id: z.string(), at: z.number() });

/** The ids of `at_most_once` dispatches. Each is on disk before the dispatch starts, so that no restart starts it again. */
export class Journal implements Begun {
  readonly #file: string;
  readonly #append: Append;
  readonly #begunAt = new Map<string, number>();
  /** True when a failed write may have left an incomplete line. */
  #isTorn = false;
  #untilCompaction = COMPACT_EVERY;

  constructor({ directory, now, append = appendBytes }: JournalOptions) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#file = join(directory, "journal.ndjson");
    this.#append = append;
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, "utf8").split("\n")) {
      const read = readLine(line);
      if (read !== null) this.#begunAt.set(read.id, read.at);
    }
    this.#compact(now);
  }

  record(dispatchId: string, at: number): void {
    const line = `${this.#isTorn ? "\n" : ""}${lineOf(dispatchId, at)}`;
    this.#isTorn = true;
    this.#append(this.#file, Buffer.from(line));
    this.#isTorn = false;
    this.#begunAt.set(dispatchId, at);
    this.#untilCompaction -= 1;
    if (this.#untilCompaction <= 0) this.#compact(at);
  }

  startedAt(dispatchId: string): number | undefined {
    return this.#begunAt.get(dispatchId);
  }

  /** Replaces the whole file, so that after a crash either the old or the new file exists. */
  #compact(now: number): void {
    this.#untilCompaction = COMPACT_EVERY;
    for (const [id, at] of this.#begunAt) if (now - at > KEEP_MS) this.#begunAt.delete(id);
    const fresh = `${this.#file}.new`;
    try {
      writeFileSync(fresh, [...this.#begunAt].map(([id, at]) => lineOf(id, at)).join(""), { mode: 0o600 });
      renameSync(fresh, this.#file);
    } catch {
      // A new file cannot be written on a full disk. The old file stays, and may end with an incomplete line.
      this.#isTorn = true;
    }
  }
}

function lineOf(id: string, at: number): string {
  return `${JSON.stringify({ id, at })}\n`;
}

/** Returns a parsed line. Null for a line that a crash cut off. */
function readLine(line: string): { readonly id: string; readonly at: number } | null {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
