import { mkdirSync } from "node:fs";
import type { Clock, Stop } from "../clock/index.ts";
import { type Append, appendBytes } from "./append.ts";
import type { Archive } from "./ended-results.ts";
import { ENDED_TAIL, endedHead, type EndedLine, settledLine } from "./outbox-line.ts";
import { Segment, segmentNumbers } from "./outbox-segment.ts";
import type { CallbackBody } from "./wire.ts";

export interface OutboxOptions {
  readonly directory: string;
  readonly clock: Clock;
  /** How long results are kept after the dispatch ended, delivered or not. */
  readonly keepMs?: number;
  readonly bytesMax?: number;
  readonly segmentBytesMax?: number;
  /** Maximum size of the results that are also cached in memory. */
  readonly cacheBytesMax?: number;
  readonly append?: Append;
  readonly onTrouble?: (message: string) => void;
}

export interface Undelivered {
  readonly dispatchId: string;
  readonly url: string;
}

interface Entry {
  readonly dispatchId: string;
  readonly url: string | null;
  readonly endedAt: number;
  /** The text in memory. Null when it is only on disk. */
  text: string | null;
  /** The position on disk. Null until it is written. */
  place: { readonly segment: Segment; readonly start: number; readonly length: number } | null;
  isSettled: boolean;
}

/** A line to write. Without an entry, it is a tombstone. */
interface Line {
  readonly text: string;
  /** Start of the body of a result within the line, in bytes. */
  readonly bodyStart: number;
  readonly entry: Entry | null;
  readonly written: (() => void) | null;
}

const MIB = 1_048_576;
const KEEP_MS = 3_600_000;
const SEGMENT_MS = 900_000;
const WRITE_AGAIN_MS = 5_000;

/**
 * Stores every result on disk before it is first sent, so that after a crash it is delivered and its dispatch is not
 * run again. All results of one turn of the event loop are written at once. Segments are deleted oldest first, and
 * undelivered results in them move to the newest segment.
 */
export class Outbox implements Archive {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<"keepMs" | "bytes" | "segment" | "cache", number>>;
  readonly #append: Append;
  readonly #onTrouble: (message: string) => void;
  readonly #entries = new Map<string, Entry>();
  readonly #segments: Segment[] = [];
  #current: Segment | null = null;
  #nextNumber = 1;
  #lines: Line[] = [];
  /** Entries that could not be written, to be written when the disk works again. */
  #refused: Entry[] = [];
  #cachedLength = 0;
  #stopTimer: Stop | null = null;
  #isDegraded = false;

  constructor(options: OutboxOptions) {
    this.#directory = options.directory;
    this.#clock = options.clock;
    this.#append = options.append ?? appendBytes;
    this.#onTrouble = options.onTrouble ?? (() => undefined);
    this.#limits = {
      keepMs: options.keepMs ?? KEEP_MS,
      bytes: options.bytesMax ?? 256 * MIB,
      segment: options.segmentBytesMax ?? 16 * MIB,
      cache: options.cacheBytesMax ?? 64 * MIB,
    };
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    this.#readBack();
  }

  /** True while the disk rejects writes. Results are then only in memory. */
  get isDegraded(): boolean {
    return this.#isDegraded;
  }

  has(dispatchId: string): boolean {
    return this.#entries.has(dispatchId);
  }

  read(dispatchId: string): CallbackBody | undefined {
    const text = this.textOf(dispatchId);
    return text === undefined ? undefined : (JSON.parse(text) as CallbackBody);
  }

  textOf(dispatchId: string): string | undefined {
    const { text, place } = this.#entries.get(dispatchId) ?? {};
    return text ?? place?.segment.textAt(place.start, place.length);
  }

  /** Returns the results still to be sent, oldest first. */
  undelivered(): readonly Undelivered[] {
    return [...this.#entries.values()].flatMap(({ dispatchId, url, isSettled }) =>
      isSettled || url === null ? [] : [{ dispatchId, url }],
    );
  }

  /** Stores a result. `written` is called when it is on disk or the write has failed. With url null, it is not sent. */
  add(dispatchId: string, url: string | null, text: string, written: () => void): void {
    const endedAt = this.#clock.now();
    const entry: Entry = { dispatchId, url, endedAt, text, place: null, isSettled: url === null };
    this.#cachedLength += text.length;
    const before = this.#entries.get(dispatchId);
    if (before !== undefined) this.#forgetText(before);
    this.#entries.set(dispatchId, entry);
    this.#write(lineOf(entry, text, written));
  }

  /** Marks a result as accepted or finally refused. It is not sent again, but stays known until its retention ends. */
  settle(dispatchId: string): void {
    const entry = this.#entries.get(dispatchId);
    if (entry === undefined || entry.isSettled) return;
    entry.isSettled = true;
    if (entry.place !== null) this.#forgetText(entry);
    this.#write({ text: settledLine(dispatchId, this.#clock.now()), bodyStart: 0, entry: null, written: null });
  }

  /** Writes all waiting lines now. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    const lines = [...this.#refusedLines(), ...this.#lines];
    this.#lines = [];
    if (lines.length === 0) return;
    try {
      const isNew = this.#rotate();
      this.#writeLines(lines);
      this.#isDegraded = false;
      if (isNew) this.#dropOld();
    } catch (error) {
      this.#refuse(lines, error);
    }
    for (const { written } of lines) written?.();
  }

  /** Returns the refused lines to write again. Entries delivered meanwhile are deleted, because no segment would do it later. */
  #refusedLines(): readonly Line[] {
    const refused = this.#refused;
    this.#refused = [];
    return refused.flatMap((entry) => {
      if (!entry.isSettled && entry.text !== null) return [lineOf(entry, entry.text)];
      this.#forgetText(entry);
      if (this.#entries.get(entry.dispatchId) === entry) this.#entries.delete(entry.dispatchId);
      return [];
    });
  }

  /** Writes all waiting lines, and stops the timer. */
  close(): void {
    this.flush();
    this.#stopTimer?.();
  }

  #write(line: Line): void {
    this.#lines.push(line);
    if (this.#lines.length > 1) return;
    this.#stopTimer?.();
    this.#stopTimer = this.#clock.after(0, () => this.flush());
  }

  #writeLines(lines: readonly Line[]): void {
    const segment = (this.#current ??= this.#addSegment(this.#nextNumber));
    this.#append(segment.path, Buffer.from(lines.map(({ text }) => text).join("")));
    segment.newestAt = this.#clock.now();
    for (const { entry, text, bodyStart } of lines) {
      const bytes = Buffer.byteLength(text);
      if (entry !== null) {
        const length = bytes - bodyStart - ENDED_TAIL.length;
        entry.place = { segment, start: segment.bytes + bodyStart, length };
        segment.ids.push(entry.dispatchId);
        if (entry.isSettled || this.#cachedLength > this.#limits.cache) this.#forgetText(entry);
      }
      segment.bytes += bytes;
    }
  }

  /** Handles a failed write. Results are written again later. Lost tombstones only cause a repeated delivery, which the server ignores. */
  #refuse(lines: readonly Line[], error: unknown): void {
    if (!this.#isDegraded) {
      const why = error instanceof Error ? error.message : String(error);
      this.#onTrouble(`Results cannot be written to ${this.#directory} and are kept in memory: ${why}`);
    }
    this.#isDegraded = true;
    // The file may end with an incomplete line, so the next lines go into a new file.
    const broken = this.#current;
    this.#current = null;
    if (broken?.bytes === 0) {
      broken.remove();
      this.#segments.pop();
    }
    this.#refused = lines.flatMap(({ entry }) => entry ?? []);
    this.#stopTimer = this.#clock.after(WRITE_AGAIN_MS, () => this.flush());
  }

  /** Starts a new file when the current one is full or old. True when it did. */
  #rotate(): boolean {
    const current = this.#current;
    const isFull = current !== null && current.bytes >= this.#limits.segment;
    if (current !== null && !isFull && this.#clock.now() - current.openedAt < SEGMENT_MS) return false;
    this.#current = this.#addSegment(this.#nextNumber);
    return true;
  }

  #addSegment(number: number): Segment {
    this.#nextNumber = number + 1;
    const segment = new Segment(this.#directory, number, this.#clock.now());
    this.#segments.push(segment);
    return segment;
  }

  #dropOld(): void {
    const now = this.#clock.now();
    const { keepMs, bytes: bytesMax } = this.#limits;
    for (const segment of this.#segments.slice()) {
      const bytes = this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
      const isOld = now - segment.newestAt >= keepMs;
      // Moving a segment that is mostly undelivered would free little space.
      const isInTheWay = bytes > bytesMax && this.#undeliveredBytes(segment) * 2 < segment.bytes;
      if (segment === this.#current || !(isOld || isInTheWay)) return;
      this.#drop(segment);
    }
  }

  #undeliveredBytes(segment: Segment): number {
    return this.#of(segment).reduce((sum, { isSettled, place }) => sum + (isSettled ? 0 : (place?.length ?? 0)), 0);
  }

  #of(segment: Segment): readonly Entry[] {
    return segment.ids.flatMap((id) => {
      const entry = this.#entries.get(id);
      return entry?.place?.segment === segment ? [entry] : [];
    });
  }

  #drop(segment: Segment): void {
    const moved: Line[] = [];
    for (const entry of this.#of(segment)) {
      const text = entry.isSettled ? undefined : this.textOf(entry.dispatchId);
      if (text === undefined) this.#entries.delete(entry.dispatchId);
      else moved.push(lineOf(entry, text));
    }
    if (moved.length > 0) this.#writeLines(moved);
    this.#segments.splice(this.#segments.indexOf(segment), 1);
    segment.remove();
  }

  #forgetText(entry: Entry): void {
    this.#cachedLength -= entry.text?.length ?? 0;
    entry.text = null;
  }

  #readBack(): void {
    for (const number of segmentNumbers(this.#directory)) {
      const segment = this.#addSegment(number);
      for (const { line, start } of segment.lines()) {
        if (line.kind === "ended") this.#takeBack(segment, line, start);
        else {
          const entry = this.#entries.get(line.id);
          if (entry !== undefined) entry.isSettled = true;
        }
      }
    }
    try {
      this.#dropOld();
    } catch (error) {
      this.#refuse([], error);
    }
  }

  #takeBack(segment: Segment, { id, at, url, bodyStart, bodyLength }: EndedLine, start: number): void {
    const place = { segment, start: start + bodyStart, length: bodyLength };
    this.#entries.set(id, { dispatchId: id, url, endedAt: at, text: null, place, isSettled: url === null });
    segment.ids.push(id);
    segment.newestAt = Math.max(segment.newestAt, at);
  }
}

function lineOf(entry: Entry, body: string, written: (() => void) | null = null): Line {
  const head = endedHead(entry.dispatchId, entry.endedAt, entry.url);
  return { text: `${head}${body}${ENDED_TAIL}`, bodyStart: Buffer.byteLength(head), entry, written };
}
