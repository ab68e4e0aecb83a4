import type { MoveStage } from "../core/event/index.ts";

/** Which cell an organisation lives in, and which organisation a credential belongs to. One of the databases keeps it. */
export interface DirectoryStore {
  /** Null: it has no cell yet. */
  cellOf(orgId: string): Promise<string | null>;
  listPlaced(): Promise<readonly PlacedOrganisation[]>;
  /** Places an organisation that has no cell yet; answers with the cell it has. */
  place(orgId: string, cell: string): Promise<string>;
  /** Nothing happens to those that are known. */
  claim(claims: readonly CredentialClaim[]): Promise<void>;
  /** Oldest name first; few have more than one. */
  organisationsOf(kind: CredentialKind, hash: string): Promise<readonly string[]>;
  /** False when the organisation is being moved already. */
  openMove(move: Pick<CellMove, "id" | "orgId" | "source" | "target" | "askedBy">): Promise<boolean>;
  getMove(moveId: string): Promise<CellMove | undefined>;
  /** Newest first. */
  listMoves(limit: number): Promise<readonly CellMove[]>;
  openMoves(): Promise<readonly CellMove[]>;
  /** Those that are open, and those that changed since: what the caches of a server must know. */
  recentMoves(since: number): Promise<readonly CellMove[]>;
  /** False when another process has taken it on meanwhile. */
  advanceMove(moveId: string, from: MoveStage, change: MoveChange): Promise<boolean>;
  /** The organisation lives in the target from now on, with the stage in one transaction. */
  switchMove(move: CellMove): Promise<boolean>;
}

/** `key` and `gateway`: a SHA-256; `hook` and `channel`: the name in an address that names no organisation. */
export type CredentialKind = "key" | "gateway" | "hook" | "channel";

export interface CredentialClaim {
  readonly kind: CredentialKind;
  readonly hash: string;
  readonly orgId: string;
}

export interface PlacedOrganisation {
  readonly orgId: string;
  readonly name: string | null;
  readonly cell: string;
}

export interface CellMove {
  readonly id: string;
  readonly orgId: string;
  readonly source: string;
  readonly target: string;
  readonly stage: MoveStage;
  /** Why it failed. */
  readonly reason: string | null;
  /** What was compared: rows and a digest of each table. */
  readonly tables: readonly ComparedTable[] | null;
  readonly askedBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly frozenAt: number | null;
  readonly switchedAt: number | null;
}

export interface ComparedTable {
  readonly table: string;
  readonly rows: number;
  readonly digest: string;
}

export interface MoveChange {
  readonly stage: MoveStage;
  readonly reason?: string;
  readonly tables?: readonly ComparedTable[];
}
