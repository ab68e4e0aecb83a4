import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { killMarked } from "../process/leftover.ts";
import { removeWorkDirectory } from "../process/work-directory.ts";

const PREFIX = "session-";
/** File with the id of the session. It is written before the first tool call can be made. */
const ID_FILE = "session-id";
/** Age after which the directory of an attempt is removed, because the attempt will not be continued. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** The directory of a session: the same for every execution of an attempt on this machine. Its name marks all its processes. */
export class SessionHome {
  static readonly #inUse = new Set<string>();
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async open(directory: string, request: AdapterRequest): Promise<Outcome<SessionHome, string>> {
    const attempt = `${request.idempotencyKey}/${request.attempt}`;
    let name = `${PREFIX}${createHash("sha256").update(attempt).digest("hex").slice(0, 24)}`;
    // When one attempt runs twice at the same time, each execution gets a separate directory and session.
    while (SessionHome.#inUse.has(join(directory, name))) name += "-";
    const home = new SessionHome(join(directory, name));
    SessionHome.#inUse.add(home.path);
    try {
      await mkdir(directory, { recursive: true, mode: 0o711 });
      await mkdir(home.path, { recursive: true, mode: 0o700 });
      // Processes from before a restart of this Bridge may still be running.
      await killMarked(name);
      return succeed(home);
    } catch (thrown) {
      home.leave();
      return fail(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  /** Returns the id of the interrupted session that was started here. Null when there is none. */
  async sessionId(): Promise<string | null> {
    const text = await readFile(join(this.path, ID_FILE), "utf8").catch(() => "");
    return text === "" ? null : text;
  }

  keepSessionId(id: string): Promise<void> {
    return writeFile(join(this.path, ID_FILE), id, { mode: 0o600 });
  }

  /** Releases the directory without removing it, so that the next execution can use it. */
  leave(): void {
    SessionHome.#inUse.delete(this.path);
  }

  async remove(): Promise<void> {
    await removeWorkDirectory(this.path);
    this.leave();
  }
}

/** Removes directories of attempts that were cancelled while the Bridge was not running. */
export async function removeOldHomes(directory: string, now: number): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && now - found.mtimeMs > KEPT_MS) await removeWorkDirectory(path).catch(() => undefined);
  }
}
