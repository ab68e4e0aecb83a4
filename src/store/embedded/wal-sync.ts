import { readdirSync, statSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

/**
 * Syncs commits to the disk, because the embedded engine writes its log but never syncs it. The segment written last is
 * the newest by time, not by name, because segments are created in advance.
 */
export class WalSync {
  readonly #directory: string;
  #name: string | null = null;
  #file: FileHandle | null = null;

  constructor(dataDirectory: string) {
    this.#directory = join(dataDirectory, "pg_wal");
  }

  async sync(): Promise<void> {
    const newest = this.#newest();
    if (newest !== this.#name) {
      // The end of the old segment may not be on disk yet.
      await this.#file?.datasync();
      await this.close();
      this.#name = newest;
      this.#file = newest === null ? null : await open(join(this.#directory, newest), "r+");
    }
    await this.#file?.datasync();
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    this.#name = null;
    await file?.close();
  }

  #newest(): string | null {
    let newest: string | null = null;
    let latest = -1n;
    for (const name of readdirSync(this.#directory)) {
      if (!/^[0-9A-F]{24}$/.test(name)) continue;
      const { mtimeNs } = statSync(join(this.#directory, name), { bigint: true });
      if (mtimeNs > latest) [newest, latest] = [name, mtimeNs];
    }
    return newest;
  }
}
