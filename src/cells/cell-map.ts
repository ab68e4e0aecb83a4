import type { CredentialKind, DirectoryStore } from "../store/index.ts";
import { Remembered } from "./remembered.ts";

export interface CellMapOptions {
  readonly directory: DirectoryStore;
  readonly now: () => number;
}

/** An organisation changes its cell by a move, which the watch over moves finds within a second. */
const CELL_MS = 300_000;
/** A key belongs to one organisation for ever; names of hooks come and go. */
const OWNER_MS = 300_000;
const NAME_MS = 2_000;

interface Credential {
  readonly kind: CredentialKind;
  readonly hash: string;
}

/** Where organisations live and whose credentials are: the directory, remembered. */
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

  /** Null: it has no cell yet. */
  cellOf(orgId: string): Promise<string | null> {
    return this.#cells.get(orgId);
  }

  ownersOf(kind: CredentialKind, hash: string): Promise<readonly string[]> {
    return (kind === "key" || kind === "gateway" ? this.#secrets : this.#names).get({ kind, hash });
  }

  /** Asks the directory again; true: it lives elsewhere than was known here. */
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
