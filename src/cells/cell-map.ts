import type { CredentialKind, DirectoryStore } from "../store/index.ts";
import { Remembered } from "./remembered.ts";

export interface CellMapOptions {
  readonly directory: DirectoryStore;
  readonly now: () => number;
}

/** Cache time of an organisation's cell. It can be long, because every server detects a move within about a second. */
const CELL_MS = 300_000;
/** Cache times of owners. A key always belongs to one organisation, but names of hooks can change. */
const OWNER_MS = 300_000;
const NAME_MS = 2_000;

interface Credential {
  readonly kind: CredentialKind;
  readonly hash: string;
}

/** A cache of the directory: the cell of each organisation and the owner of each credential. */
export class CellMap {
  readonly #cells: Remembered<string, string | null>;
  readonly #secrets: Remembered<Credential, readonly string[]>;
  readonly #names: Remembered<Credential, readonly string[]>;
  readonly #directory: DirectoryStore;

  constructor({ directory, now }: CellMapOptions) {
    this.#directory = directory;
    const owners = {
      look: ({ kind, hash }: Credential) => directory.organisationsOf(kind, hash),
      nameOf: ({ kind, hash }: Credential) => `${kind}/${hash}`,
      isKept: (found: readonly string[]) => found.length > 0,
      now,
    };
    this.#secrets = new Remembered({ ...owners, freshMs: OWNER_MS });
    this.#names = new Remembered({ ...owners, freshMs: NAME_MS });
    this.#cells = new Remembered({
      look: (orgId) => directory.cellOf(orgId),
      nameOf: (orgId) => orgId,
      isKept: (cell) => cell !== null,
      freshMs: CELL_MS,
      now,
    });
  }

  /** Returns the cell of an organisation. Null when it has none yet. */
  cellOf(orgId: string): Promise<string | null> {
    return this.#cells.get(orgId);
  }

  /** Returns the last known cell of an organisation without a query. Null when none is known. */
  lastKnown(orgId: string): string | null {
    return this.#cells.peek(orgId) ?? null;
  }

  ownersOf(kind: CredentialKind, hash: string): Promise<readonly string[]> {
    return (kind === "key" || kind === "gateway" ? this.#secrets : this.#names).get({ kind, hash });
  }

  /** Reads the directory again. True when the organisation is in a different cell than the cache contained. */
  async hasMoved(orgId: string): Promise<boolean> {
    const known = await this.#cells.get(orgId);
    const now = await this.#directory.cellOf(orgId);
    if (now === null || now === known) return false;
    this.learn(orgId, now);
    return true;
  }

  learn(orgId: string, cell: string): void {
    this.#cells.put(orgId, cell);
  }
}
