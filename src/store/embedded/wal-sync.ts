import { readdirSync, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/**
 * Syncs commits to the disk, because the embedded engine writes its log but never syncs it. A commit may have written
 * several segments, which are found by the time of their last write, because segments are also created in advance.
 */
export class WalSync {
  readonly #directory: string;
  /** Segments on the disk, with the time of their last write. */
  #synced: ReadonlyMap<string, bigint> = new Map();
  /** The segment that stays open, because most commits write only the one that was written last. */
  #name: string | null = null;
  #file: FileHandle | null = null;

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, "pg_wal");
  }

  async sync(): Promise<void> {
    const segments = this.#list();
    for (const name of this.#written(segments)) await (await this.#open(name)).datasync();
    if ([...segments.keys()].some((name) => !this.#synced.has(name))) await this.#syncNames();
    this.#synced = segments;
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#name = null;
    await file?.close();
  }

  #list(): ReadonlyMap<string, bigint> {
    const names = readdirSync(this.#directory).filter((name) => /^[0-9A-F]{24}$/.test(name));
    return new Map(names.map((name) => [name, statSync(join(this.#directory, name), { bigint: true }).mtimeNs]));
  }

  /**
   * Returns the segments that may have been written since the last sync, in the order of writing. The clock of files is
   * coarse, so a segment as old as the latest synced one may have been written after it was synced.
   */
  #written(segments: ReadonlyMap<string, bigint>): readonly string[] {
    let latest = -1n;
    for (const at of this.#synced.values()) if (at > latest) latest = at;
    const written = [...segments].filter(([name, at]) => at >= latest || at !== this.#synced.get(name));
    return written.toSorted(([, left], [, right]) => Number(left - right)).map(([name]) => name);
  }

  async #open(name: string): Promise<FileHandle> {
    if (this.#file !== null && this.#name === name) return this.#file;
    await this.close();
    this.#file = await open(join(this.#directory, name), "r+");
    this.#name = name;
    return this.#file;
  }

  /** Syncs the names of new segments: without its name, a segment is lost. Windows syncs no directories. */
  async #syncNames(): Promise<void> {
    if (process.platform === "win32") return;
    const directory = await open(this.#directory, "r");
    try {
      await directory.sync();
    } finally {
      await directory.close();
    }
  }
}
