import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

const ONLY_OWNER = 0o600;
const KEY = "key";

/** A server that was started from a data directory and has not been stopped properly. */
export interface KnownServer {
  readonly url: string;
  readonly pid: number;
}

/** The directory in which `sluice up` stores the database, the admin key and the address of the server. */
export class DataDirectory {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get databasePath(): string {
    return join(this.path, "database");
  }

  get keyPath(): string {
    return join(this.path, KEY);
  }

  /** Creates the directory for its owner only, and excludes it from version control. */
  create(): void {
    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      writeFileSync(join(this.path, ".gitignore"), "*\n");
    } catch (thrown) {
      throw new Refusal(`cannot write to the data directory ${printable(this.path)}: ${reasonOf(thrown)}`);
    }
  }

  /** Returns the key that was printed when it was created. No other file contains it in plain text. */
  readKey(): string | null {
    const text = this.#read(KEY)?.trim() ?? "";
    return text === "" ? null : text;
  }

  writeKey(key: string): void {
    this.#write(KEY, `${key}\n`);
  }

  /** Returns the server of this directory. After a crash it is still returned, with `isAlive` false. */
  readServer(): (KnownServer & { readonly isAlive: boolean }) | null {
    const text = this.#read("server.json");
    if (text === null) return null;
    try {
      const { url, pid } = JSON.parse(text) as Partial<KnownServer>;
      return typeof url === "string" && typeof pid === "number" ? { url, pid, isAlive: isAlive(pid) } : null;
    } catch {
      return null;
    }
  }

  writeServer(server: KnownServer): void {
    this.#write("server.json", `${JSON.stringify(server)}\n`);
  }

  removeServer(): void {
    rmSync(join(this.path, "server.json"), { force: true });
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.path, name), "utf8");
    } catch {
      return null;
    }
  }

  #write(name: string, text: string): void {
    const file = join(this.path, name);
    try {
      writeFileSync(file, text, { mode: ONLY_OWNER });
      // The mode above applies only to a new file.
      chmodSync(file, ONLY_OWNER);
    } catch (thrown) {
      throw new Refusal(`cannot write ${printable(file)}: ${reasonOf(thrown)}`);
    }
  }
}

export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM means that the process is alive and belongs to another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
