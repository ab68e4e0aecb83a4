import {
  type CellContent,
  listCellContent,
  NOW_MS,
  PoolerUnsupported,
  readDatabaseIdentity,
  type Sql,
  StoreUnavailable,
} from "../store/index.ts";
import type { FleetCell } from "./fleet-cell.ts";

/** The content of all cells that can be reached, by name. */
export type Surveyed = ReadonlyMap<string, CellContent>;

export interface SurveyOptions {
  readonly cells: readonly FleetCell[];
  readonly directory: FleetCell;
}

/** Checks whether the databases can be the cells of one installation. It changes no data. */
export async function survey(options: SurveyOptions): Promise<{
  readonly surveyed: Surveyed;
  readonly problems: readonly string[];
  readonly unreachableCells: readonly { readonly cell: string; readonly error: unknown }[];
}> {
  const { cells, directory } = options;
  const problems: string[] = [];
  const unreachableCells: { readonly cell: string; readonly error: unknown }[] = [];
  const identities = new Map<string, FleetCell>();
  const surveyed = new Map<string, CellContent>();
  for (const cell of new Set([directory, ...cells])) {
    try {
      await cell.checkPooler();
      await cell.store.ping();
      const identity = await readDatabaseIdentity(cell.sql);
      const twin = identities.get(identity);
      if (twin === undefined) identities.set(identity, cell);
      else problems.push(`the cells ${twin.name} and ${cell.name} have one database: give each its own`);
      surveyed.set(cell.name, await listCellContent(cell.sql, cell.name));
    } catch (error) {
      if (error instanceof PoolerUnsupported)
        problems.push(`the cell ${cell.name}: pooler_unsupported: ${error.message}`);
      // When the directory is unavailable, the caller must report it.
      else if (error instanceof StoreUnavailable && cell !== directory)
        unreachableCells.push({ cell: cell.name, error });
      else if (error instanceof StoreUnavailable) throw error;
      else problems.push(`the cell ${cell.name}: ${wordsOf(error)}`);
    }
  }
  if (problems.length > 0) return { surveyed, problems, unreachableCells };
  if (await isAnyRestarted(identities)) return survey(options);
  problems.push(...contradictions(options, surveyed), ...(await disagreements(directory.sql, surveyed, cells)));
  return { surveyed, problems, unreachableCells };
}

/** Returns whether a server has restarted since its identity was read. Then two addresses of it may look like two databases. */
async function isAnyRestarted(identities: ReadonlyMap<string, FleetCell>): Promise<boolean> {
  for (const [identity, { sql }] of identities) {
    try {
      if ((await readDatabaseIdentity(sql)) !== identity) return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) return true;
      throw error;
    }
  }
  return false;
}

const NO_TABLE = "42P01";

function wordsOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === NO_TABLE) return "it is empty: run `sluice migrate`";
  const words = error instanceof Error ? error.message : String(error);
  return words.replace("run the migrations", "run `sluice migrate` on it first");
}

/** Returns problems with data that must be the same in the whole installation. */
function contradictions({ directory, cells }: SurveyOptions, surveyed: Surveyed): readonly string[] {
  const problems: string[] = [];
  const shared = new Map(surveyed.get(directory.name)?.secrets ?? []);
  for (const { name } of cells) {
    const content = surveyed.get(name);
    if (content === undefined || name === directory.name) continue;
    if (content.hasPeople) {
      problems.push(`the cell ${name} has people of its own, who belong in the directory: make it the directory`);
    }
    for (const [secret, value] of content.secrets) {
      const other = shared.get(secret);
      if (other === undefined) shared.set(secret, value);
      else if (other !== value) {
        problems.push(`the cell ${name} was an installation of its own: its ${secret} is another than the directory's`);
      }
    }
  }
  return problems;
}

/** Returns problems with databases that no server has used yet, although organisations live in their cells. */
function newDatabases(
  surveyed: Surveyed,
  placed: readonly { readonly org_id: string; readonly cell: string }[],
): readonly string[] {
  return [...surveyed].flatMap(([name, { secrets }]) => {
    const [first, ...others] = secrets.size > 0 ? [] : placed.filter(({ cell }) => cell === name);
    if (first === undefined) return [];
    const who = others.length === 0 ? first.org_id : `${first.org_id} and ${others.length} more`;
    return [`the cell ${name} is a new database, and by the directory it has the organisation ${who}`];
  });
}

const DIRECTORY = { name: "directory", text: "select org_id, cell from organisations where cell is not null" };
/** Also of moves that have just ended: the cells may have been read before that. */
const LEAVING = {
  name: "organisations that leave",
  text: `select org_id from cell_moves where stage not in ('done', 'failed') or updated_at > ${NOW_MS} - 10000`,
};

/** Returns problems with the location of organisations: each is in exactly one cell, and the directory names it. */
async function disagreements(
  directory: Sql,
  surveyed: Surveyed,
  cells: readonly FleetCell[],
): Promise<readonly string[]> {
  const placed = await directory.query<{ org_id: string; cell: string }>(DIRECTORY);
  const known = new Map(placed.map(({ org_id: orgId, cell }) => [orgId, cell]));
  const moves = await directory.query<{ org_id: string }>(LEAVING);
  const moving = new Set(moves.map((row) => row.org_id));
  const names = new Set(cells.map(({ name }) => name));
  const problems: string[] = [...newDatabases(surveyed, placed)];
  for (const [orgId, cell] of known) {
    if (!names.has(cell))
      problems.push(`the organisation ${orgId} lives in the cell ${cell}, which the file does not name`);
  }
  const homes = new Map<string, string>();
  for (const [name, content] of surveyed) {
    for (const { orgId, cell } of names.has(name) ? content.marked : []) {
      if (!moving.has(orgId))
        problems.push(`the organisation ${orgId} is in the cell ${name}, and its database says ${cell}`);
    }
    for (const orgId of names.has(name) ? content.organisations : []) {
      if (moving.has(orgId)) continue;
      const other = homes.get(orgId);
      const cell = known.get(orgId) ?? name;
      if (other !== undefined) problems.push(`the organisation ${orgId} is in two cells: ${other} and ${name}`);
      else if (cell !== name) {
        problems.push(`the organisation ${orgId} is in the cell ${name}, and the directory says ${cell}`);
      }
      homes.set(orgId, name);
    }
  }
  return problems;
}
