import type { CellMove, ComparedTable } from "../store/index.ts";

/** Operations on the cells of an installation. */
export interface CellOperations {
  /** The organisation whose administrators operate the cells. */
  readonly operators: string;
  list(): Promise<readonly ShownCell[]>;
  /** Throws `Refused` before anything changes when the move is not possible. */
  move(orgId: string, target: string, askedBy: string): Promise<CellMove>;
  getMove(moveId: string): Promise<CellMove | undefined>;
  listMoves(): Promise<readonly CellMove[]>;
  /** Checks whether directory and cells agree; with an organisation, also returns what it has in each cell. */
  verify(orgId: string | null): Promise<VerifiedCells>;
}

export interface ShownCell {
  readonly name: string;
  /** Host, port and database, without the password. */
  readonly database: string;
  readonly isDirectory: boolean;
  readonly isReady: boolean;
  /** Whether the cell accepts new organisations. */
  readonly accepts: boolean;
  readonly organisations: readonly { readonly id: string; readonly name: string | null }[];
}

export interface VerifiedCells {
  readonly problems: readonly string[];
  readonly organisations: readonly VerifiedOrganisation[];
}

export interface VerifiedOrganisation {
  readonly cell: string;
  readonly tables: readonly ComparedTable[];
}
