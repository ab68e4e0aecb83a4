import { randomUUID } from "node:crypto";
import { type CellOperations, Refused, type ShownCell, type VerifiedOrganisation } from "../server/index.ts";
import { compareRows, type DirectoryStore, movedTables, type Sql } from "../store/index.ts";
import type { FleetCell } from "./fleet-cell.ts";
import { survey, type SurveyOptions } from "./cell-checks.ts";

export interface OperationsOptions extends SurveyOptions {
  readonly store: DirectoryStore;
  readonly operators: string;
  readonly isReady: (cell: string) => boolean;
  readonly longOf: (cell: string) => Sql;
}

const MOVES_LISTED = 100;

/** Creates the operations on cells for operators. */
export function createOperations(options: OperationsOptions): CellOperations {
  const { store } = options;
  return {
    operators: options.operators,
    list: () => list(options),
    move: (orgId, target, askedBy) => begin(options, orgId, target, askedBy),
    getMove: (moveId) => store.getMove(moveId),
    listMoves: () => store.listMoves(MOVES_LISTED),
    verify: async (orgId) => {
      if (orgId !== null && (await store.cellOf(orgId)) === null) throw unknownOrganisation(orgId);
      return {
        problems: (await survey(options)).problems,
        organisations: orgId === null ? [] : await holdings(options, orgId),
      };
    },
  };
}

async function list(options: OperationsOptions): Promise<readonly ShownCell[]> {
  const { cells, directory, store } = options;
  const placed = await store.listPlaced();
  const ready = await Promise.all(cells.map((cell) => answers(options, cell)));
  return cells.map((cell, index) => ({
    name: cell.name,
    database: cell.shown,
    isDirectory: cell === directory,
    isReady: ready[index] === true,
    accepts: cell.accepts,
    organisations: placed
      .filter((organisation) => organisation.cell === cell.name)
      .map(({ orgId, name }) => ({ id: orgId, name })),
  }));
}

/** True when this process serves the cell and its database answers now. */
async function answers({ isReady }: OperationsOptions, { name, store }: FleetCell): Promise<boolean> {
  if (!isReady(name)) return false;
  return store.ping().then(
    () => true,
    () => false,
  );
}

async function begin(options: OperationsOptions, orgId: string, target: string, askedBy: string) {
  const { cells, store } = options;
  const source = await store.cellOf(orgId);
  if (source === null) throw unknownOrganisation(orgId);
  const names = cells.map(({ name }) => name);
  if (!names.includes(target)) {
    throw new Refused("unknown_cell", `There is no cell "${target.slice(0, 64)}" among ${names.join(", ")}.`);
  }
  const open = (await store.openMoves()).find((move) => move.orgId === orgId);
  if (open !== undefined) throw underWay(open.target);
  if (source === target)
    throw new Refused("same_cell", `The organisation ${orgId} lives in the cell ${target} already.`);
  for (const cell of cells.filter(({ name }) => name === source || name === target)) {
    if (!(await answers(options, cell)))
      throw new Refused("cell_unavailable", `The database of the cell ${cell.name} cannot be used now.`);
  }
  const { problems } = await survey(options);
  if (problems.length > 0) throw new Refused("move_refused", `Directory and cells disagree: ${problems.join("; ")}.`);
  await requireRights(options.longOf(source), source);
  const id = `move_${randomUUID().replaceAll("-", "").slice(8)}`;
  if (!(await store.openMove({ id, orgId, source, target, askedBy }))) throw underWay(target);
  const made = await store.getMove(id);
  if (made === undefined) throw underWay(target);
  return made;
}

function unknownOrganisation(orgId: string): Refused {
  return new Refused("unknown_organisation", `No cell has an organisation "${orgId.slice(0, 64)}".`);
}

function underWay(target: string): Refused {
  return new Refused("move_under_way", `The organisation is on its way to the cell ${target}.`);
}

const RIGHTS = {
  name: "",
  text: `select count(*)::int as lacking from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition
    and not has_table_privilege(c.oid, 'TRIGGER')`,
};

/** Checks that the role may create triggers on the tables, which the freeze of a move needs. */
async function requireRights(sql: Sql, cell: string): Promise<void> {
  const [row] = await sql.query<{ lacking: number }>(RIGHTS);
  if ((row?.lacking ?? 0) === 0) return;
  throw new Refused(
    "move_refused",
    `The role of the cell ${cell} may not put triggers on its tables; make it their owner.`,
  );
}

/** Returns the rows of an organisation that each cell contains. */
async function holdings({ cells, isReady, longOf }: OperationsOptions, orgId: string): Promise<VerifiedOrganisation[]> {
  const found: VerifiedOrganisation[] = [];
  for (const { name } of cells.filter((cell) => isReady(cell.name))) {
    const sql = longOf(name);
    const tables = [];
    for (const table of await movedTables(sql)) {
      const compared = await compareRows(sql, table, orgId);
      if (compared.rows > 0) tables.push(compared);
    }
    if (tables.length > 0) found.push({ cell: name, tables });
  }
  return found;
}
