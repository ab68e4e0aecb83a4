import { canonicalJson, type JsonObject } from "../base/index.ts";
import { isRecord, type Line, readLine } from "./line.ts";
import { addLeaf, EMPTY_FRONTIER, type Frontier, rootOf } from "./merkle.ts";
import { type AuditRecord, GENESIS_HASH, rehash } from "./record.ts";
import {
  type AuditCheckpoint,
  EXPORT_FORMAT,
  type ExportHead,
  type ExportHeader,
  type PrunedSegments,
  type Statement,
  type PartlyPrunedSegment,
} from "./statement.ts";

/** Checks that `signature` is the key's signature of the text. */
export type VerifySignature = (key: string, text: string, signature: string) => boolean;

export interface VerifyOptions {
  readonly verifySignature: VerifySignature;
  /** The key that must have signed the export. Without it any key is accepted, and the check is only that the file is consistent. */
  readonly key?: string;
  /** Returns hashes by record number, from checkpoints of the organisation that are stored elsewhere. */
  readonly anchors?: (org: string) => ReadonlyMap<number, string>;
}

export interface FirstBad {
  /** Number of the line, from 1. */
  readonly line: number;
  readonly what: "record" | Statement["kind"];
  /** Number of the record. For other lines, the number of the last record before the line. */
  readonly seq: number;
  readonly reason: string;
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly org: string | null;
  readonly key: string | null;
  /** Number of records that are present and valid. */
  readonly records: number;
  readonly checkpoints: number;
  readonly lastSeq: number;
  readonly firstBad?: FirstBad;
}

class Wrong extends Error {
  readonly what: FirstBad["what"];
  readonly seq: number;
  constructor(what: FirstBad["what"], seq: number, reason: string) {
    super(reason);
    this.what = what;
    this.seq = seq;
  }
}

/** Verifies an export line by line. Stops at the first line that does not follow from the previous lines. */
export class ExportVerifier {
  readonly #options: VerifyOptions;
  readonly #anchors = new Map<number, string>();
  #line = 0;
  #header: ExportHeader | null = null;
  #hasEnded = false;
  #firstBad: FirstBad | null = null;
  #seq = 0;
  #hash = GENESIS_HASH;
  #records = 0;
  #checkpoints = 0;
  #checkpointSeq = 0;
  /** State of the open segment: the hash before it, and the tree over its records. */
  #before = GENESIS_HASH;
  #frontier: Frontier = EMPTY_FRONTIER;
  #thinned: PartlyPrunedSegment | null = null;
  readonly #gone = new Map<number, string>();

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  /** Checks the next line, passed without its line feed. Returns false after the first error. */
  take(text: string): boolean {
    if (this.#firstBad !== null) return false;
    this.#line += 1;
    return this.#judge(() => {
      const read = readLine(text);
      if (this.#hasEnded) throw new Wrong("head", this.#seq, "there is more after the head, which ends every export");
      if ("wrong" in read) throw this.#unreadable(text, read.wrong);
      this.#follow(read.value);
    });
  }

  /** Ends the export: there is no further line, or the rest is not readable. Returns the result. */
  end(unreadable?: string): VerifyResult {
    if (this.#firstBad === null && (unreadable !== undefined || !this.#hasEnded)) {
      this.#line += 1;
      const { what, seq } = this.#expected();
      this.#judge(() => {
        throw new Wrong(what, seq, unreadable ?? "the export is cut: it does not end with a signed head");
      });
    }
    return {
      ok: this.#firstBad === null,
      org: this.#header?.org ?? null,
      key: this.#header?.key ?? null,
      records: this.#records,
      checkpoints: this.#checkpoints,
      lastSeq: this.#seq,
      ...(this.#firstBad === null ? {} : { firstBad: this.#firstBad }),
    };
  }

  #judge(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof Wrong)) throw error;
      const { what, seq, message: reason } = error;
      this.#firstBad = { line: this.#line, what, seq, reason };
      return false;
    }
  }

  #expected(): { readonly what: FirstBad["what"]; readonly seq: number } {
    if (this.#header === null) return { what: "header", seq: 0 };
    if (this.#hasEnded) return { what: "head", seq: this.#seq };
    return { what: "record", seq: this.#seq + 1 };
  }

  /** The kind of a damaged line can only be guessed from its text. */
  #unreadable(text: string, reason: string): Wrong {
    const { what, seq } = this.#expected();
    const kind = text.startsWith('{"actor"') ? undefined : /"kind":"(checkpoint|pruned|thinned|head)"/.exec(text)?.[1];
    const isStatement = kind === "checkpoint" || kind === "pruned" || kind === "thinned" || kind === "head";
    return what === "record" && isStatement ? new Wrong(kind, this.#seq, reason) : new Wrong(what, seq, reason);
  }

  #follow(line: Line): void {
    if (this.#header === null) {
      if (isRecord(line) || line.kind !== "header") throw new Wrong("header", 0, "an export begins with a header");
      return this.#takeHeader(line);
    }
    const { org } = this.#header;
    const place = isRecord(line) ? this.#expected() : { what: line.kind, seq: this.#seq };
    if (line.org !== org) throw new Wrong(place.what, place.seq, "it belongs to another organisation");
    if (isRecord(line)) return this.#takeRecord(line);
    this.#checkSignature(line);
    switch (line.kind) {
      case "header":
        throw new Wrong("header", this.#seq, "an export has one header");
      case "checkpoint":
        return this.#takeCheckpoint(line);
      case "pruned":
        return this.#takePruned(line);
      case "thinned":
        return this.#takeThinned(line);
      case "head":
        return this.#takeHead(line);
    }
  }

  #takeHeader(header: ExportHeader): void {
    const { key } = header;
    const pinned = this.#options.key;
    if (header.format !== EXPORT_FORMAT) throw new Wrong("header", 0, `its format is not ${EXPORT_FORMAT}`);
    if (pinned !== undefined && key !== pinned) {
      throw new Wrong("header", 0, `it is signed with ${key}, not with the key that was asked for`);
    }
    this.#header = header;
    this.#checkSignature(header);
    for (const [seq, hash] of this.#options.anchors?.(header.org) ?? []) this.#anchors.set(seq, hash);
  }

  #checkSignature(statement: Statement): void {
    const { kind, key, signature } = statement;
    const isKnown = key === this.#header?.key || this.#header?.formerKeys.includes(key) === true;
    if (!isKnown) throw new Wrong(kind, this.#seq, "it is signed with a key the header does not name");
    const { signature: _, ...unsigned } = { ...statement } as unknown as JsonObject;
    if (this.#options.verifySignature(key, canonicalJson(unsigned), signature)) return;
    throw new Wrong(kind, this.#seq, "its signature is wrong");
  }

  #takeRecord(record: AuditRecord): void {
    const seq = this.#seq + 1;
    const wrong = (reason: string): Wrong => new Wrong("record", seq, reason);
    if (record.seq > seq) throw wrong(`it is missing: record ${record.seq} stands in its place`);
    if (record.seq < seq) throw wrong(`record ${record.seq} stands in its place`);
    if (record.prevHash !== this.#hash) throw wrong("it does not follow the record before it");
    if (record.hash !== rehash(record)) throw wrong("its content is not what was hashed");
    this.#advance(record.hash);
    this.#records += 1;
    this.#skipDeletedRecords();
  }

  #advance(hash: string): void {
    this.#seq += 1;
    this.#hash = hash;
    this.#frontier = addLeaf(this.#frontier, hash);
    this.#checkAnchor();
  }

  #checkAnchor(): void {
    const anchor = this.#anchors.get(this.#seq);
    if (anchor === undefined) return;
    if (anchor !== this.#hash) throw new Wrong("record", this.#seq, "a checkpoint kept elsewhere has another hash");
    this.#anchors.delete(this.#seq);
  }

  /** Advances over records that were deleted according to a thinned statement. */
  #skipDeletedRecords(): void {
    for (;;) {
      const hash = this.#gone.get(this.#seq + 1);
      if (hash === undefined) return;
      this.#gone.delete(this.#seq + 1);
      this.#advance(hash);
    }
  }

  #takeCheckpoint({ fromSeq, toSeq, prevHash, lastHash, root }: AuditCheckpoint): void {
    const wrong = (reason: string): Wrong => new Wrong("checkpoint", this.#seq, reason);
    if (toSeq > this.#seq) throw this.#missing(`a checkpoint covers records up to ${toSeq}`);
    if (fromSeq !== this.#checkpointSeq + 1) {
      throw wrong(`it begins at record ${fromSeq}, and the one before it ended at ${this.#checkpointSeq}`);
    }
    if (toSeq < this.#seq) throw wrong(`it ends at record ${toSeq} and stands after record ${this.#seq}`);
    if (prevHash !== this.#before || lastHash !== this.#hash) throw wrong("it signs another chain");
    if (root !== rootOf(this.#frontier)) throw wrong("the root of its records is another");
    if (this.#thinned !== null && this.#thinned.toSeq !== toSeq)
      throw wrong("it closes another segment than was thinned");
    this.#checkpoints += 1;
    this.#openSegment();
  }

  #openSegment(): void {
    this.#checkpointSeq = this.#seq;
    this.#before = this.#hash;
    this.#frontier = EMPTY_FRONTIER;
    this.#thinned = null;
  }

  #takePruned({ fromSeq, toSeq, prevHash, lastHash }: PrunedSegments): void {
    const wrong = (reason: string): Wrong => new Wrong("pruned", this.#seq, reason);
    if (fromSeq > this.#seq + 1) throw this.#missing(`what follows was pruned from record ${fromSeq} on`);
    const isClosed = this.#checkpointSeq === this.#seq && this.#thinned === null;
    if (fromSeq !== this.#seq + 1 || toSeq < fromSeq || !isClosed) throw wrong("it does not follow a closed segment");
    if (prevHash !== this.#hash) throw wrong("it signs another chain");
    this.#seq = toSeq;
    this.#hash = lastHash;
    for (const seq of this.#anchors.keys()) if (seq < toSeq) this.#anchors.delete(seq);
    this.#checkAnchor();
    this.#openSegment();
  }

  #takeThinned(thinned: PartlyPrunedSegment): void {
    const { fromSeq, toSeq, gone } = thinned;
    if (fromSeq > this.#seq + 1) throw this.#missing(`what follows was thinned from record ${fromSeq} on`);
    const isNext = fromSeq === this.#seq + 1 && this.#checkpointSeq === this.#seq && this.#thinned === null;
    const isInside = gone.every(([seq]) => seq >= fromSeq && seq <= toSeq);
    if (!isNext || !isInside) throw new Wrong("thinned", this.#seq, "it does not follow a closed segment");
    this.#thinned = thinned;
    for (const [seq, hash] of gone) this.#gone.set(seq, hash);
    this.#skipDeletedRecords();
  }

  #takeHead({ seq, hash, checkpointSeq }: ExportHead): void {
    const wrong = (reason: string): Wrong => new Wrong("head", this.#seq, reason);
    if (seq > this.#seq) throw this.#missing(`the head says that there are ${seq}`);
    if (seq < this.#seq) throw wrong(`it says that the log ends at record ${seq}`);
    if (hash !== this.#hash) throw wrong("it signs another chain");
    if (checkpointSeq !== this.#checkpointSeq) throw wrong(`a checkpoint up to record ${checkpointSeq} is missing`);
    if (this.#thinned !== null) throw wrong("a segment was thinned and is not closed");
    let beyond = 0;
    for (const anchored of this.#anchors.keys()) beyond = Math.max(beyond, anchored);
    if (beyond > seq) throw this.#missing(`a checkpoint kept elsewhere covers records up to ${beyond}`);
    this.#hasEnded = true;
  }

  #missing(why: string): Wrong {
    return new Wrong("record", this.#seq + 1, `it is missing: ${why}`);
  }
}
