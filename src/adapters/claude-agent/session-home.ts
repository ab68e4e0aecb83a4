import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { killMarked } from "../process/leftover.ts";
import { removeWorkDirectory } from "../process/surroundings.ts";

const PREFIX = "session-";
/** Holds the id of the session, and is written before its first call can be. */
const ID_FILE = "session-id";
/** An attempt that was not continued for so long will not be. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** Where a session lives: the same place for every execution of an attempt on this machine. Its name marks all its processes. */
export class SessionHome {
  static readonly #inUse = new Set<string>();
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(directory: string, request: AdapterRequest): Promise<Outcome<SessionHome, string>> {
    const attempt = `${request.idempotencyKey}/${request.attempt}`;
    let name = `${PREFIX}${createHash("sha256").update(attempt).digest("hex").slice(0, 24)}`;
    // One attempt run twice at once gets two sessions that know nothing of each other.
    while (SessionHome.#inUse.has(join(directory, name))) name += "-";
    const home = new SessionHome(join(directory, name));
    SessionHome.#inUse.add(home.path);
    try {
      await mkdir(directory, { recursive: true, mode: 0o711 });
      await mkdir(home.path, { recursive: true, mode: 0o700 });
      // What an earlier life of this Bridge started may still be at work.
      await killMarked(name);
      return succeed(home);
    } catch (thrown) {
      home.leave();
      return fail(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  /** Of the session that began here and was cut off; null: none did. */
  async sessionId(): Promise<string | null> {
    const text = await readFile(join(this.path, ID_FILE), "utf8").catch(() => "");
    return text === "" ? null : text;
  }

  keepSessionId(id: string): Promise<void> {
    return writeFile(join(this.path, ID_FILE), id, { mode: 0o600 });
  }

  /** It stays for the next execution. */
  leave(): void {
    SessionHome.#inUse.delete(this.path);
  }

  async remove(): Promise<void> {
    await removeWorkDirectory(this.path);
    this.leave();
  }
}

/** Removes what attempts left behind that were cancelled while the Bridge was away. */
export async function removeOldHomes(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now - found.mtimeMs > KEPT_MS) await removeWorkDirectory(path).catch(() => undefined);
  }
}
