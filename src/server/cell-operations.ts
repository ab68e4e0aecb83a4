import type { CellMove, ComparedTable } from "../store/index.ts";

/** What operators do with the cells of an installation. */
export interface CellOperations {
  /** The organisation whose admins they are. */
  readonly operators: string;
  list(): Promise<readonly ShownCell[]>;
  /** Refused with a `Refused` before anything changes. */
  move(orgId: string, target: string, askedBy: string): Promise<CellMove>;
  getMove(moveId: string): Promise<CellMove | undefined>;
  listMoves(): Promise<readonly CellMove[]>;
  /** Whether directory and cells agree; with an organisation, what it has where. */
  verify(orgId: string | null): Promise<VerifiedCells>;
}

export interface ShownCell {
  readonly name: string;
  /** Host, port and database, without the password. */
  readonly database: string;
  readonly isDirectory: boolean;
  readonly isReady: boolean;
  /** Takes new organisations. */
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
