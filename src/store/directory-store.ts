import type { MoveStage } from "../core/event/index.ts";

/** Maps each organisation to its cell, and each credential to its organisation. Kept in one of the databases. */
export interface DirectoryStore {
  /** Null when the organisation has no cell yet. */
  cellOf(orgId: string): Promise<string | null>;
  listPlaced(): Promise<readonly PlacedOrganisation[]>;
  /** Places an organisation that has no cell yet; returns the cell it has afterwards. */
  place(orgId: string, cell: string): Promise<string>;
  /** Records which organisations own these credentials. Claims that are already recorded stay unchanged. */
  claim(claims: readonly CredentialClaim[]): Promise<void>;
  /** Returns the organisations that claim a credential, by name. Few credentials have more than one. */
  organisationsOf(kind: CredentialKind, hash: string): Promise<readonly string[]>;
  /** Returns false when the organisation is already being moved. */
  openMove(move: Pick<CellMove, "id" | "orgId" | "source" | "target" | "askedBy">): Promise<boolean>;
  getMove(moveId: string): Promise<CellMove | undefined>;
  /** Newest first. */
  listMoves(limit: number): Promise<readonly CellMove[]>;
  openMoves(): Promise<readonly CellMove[]>;
  /** Returns open moves and moves that changed since an instant. The caches of a server need both. */
  recentMoves(since: number): Promise<readonly CellMove[]>;
  /** Returns false when another process has advanced the move meanwhile. */
  advanceMove(moveId: string, from: MoveStage, change: MoveChange): Promise<boolean>;
  /** Assigns the organisation to the target cell and changes the stage of the move, in one transaction. */
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
  /** Reason of the failure. */
  readonly reason: string | null;
  /** Result of the comparison: rows and a digest of each table. */
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
