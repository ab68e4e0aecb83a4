import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Mover, type MoverOptions } from "../../../src/cells/mover.ts";
import { createDirectory, type Sql } from "../../../src/store/index.ts";
import { connect, createDatabase, type TestDatabase } from "../../postgres/database.ts";
import { Api } from "./api.ts";
import { type ServerProcess, startProgram } from "./server-process.ts";

/** Cells with a database each, and servers over all of them. */
export interface CellsGround {
  readonly file: string;
  readonly directory: string;
  /** The database of a cell. */
  readonly sql: (cell: string) => Sql;
  readonly url: (cell: string) => string;
  /** Ends all connections to a database and refuses new ones; asked by way of another. */
  readonly close: (name: string, by: string) => Promise<void>;
  readonly open: (name: string, by: string) => Promise<void>;
  readonly start: (flags?: readonly string[]) => Promise<ServerProcess>;
  readonly dispose: () => Promise<void>;
}

export const ADMIN_KEY = "slk_the-operator-of-the-cells";

/** `directory`: the name of a database beside the cells. */
export async function createCells(names: readonly string[], directoryName: string | null = null): Promise<CellsGround> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-cells-"));
  mkdirSync(join(directory, "data"));
  const databases = new Map<string, TestDatabase>();
  const all = directoryName === null ? names : [...names, directoryName];
  for (const name of all) databases.set(name, await createDatabase());
  const sqls = new Map([...databases].map(([name, { url }]) => [name, connect(url, 2)]));
  const file = join(directory, "cells.yaml");
  const urlOf = (name: string): string => required(databases.get(name), name).url;
  const head = directoryName === null ? "" : `directory: {url: "${urlOf(directoryName)}"}\n`;
  const lines = names.map((name) => `  - {name: ${name}, url: "${urlOf(name)}"}`);
  writeFileSync(file, `${head}cells:\n${lines.join("\n")}\n`);
  const servers: ServerProcess[] = [];
  return {
    file,
    directory,
    sql: (cell) => required(sqls.get(cell), cell),
    url: urlOf,
    close: async (name, by) => {
      const database = new URL(urlOf(name)).pathname.slice(1);
      const sql = required(sqls.get(by), by);
      await sql.query({ name: "", text: `alter database ${database} with allow_connections false` });
      const text = "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1";
      await sql.query({ name: "", text }, [database]);
    },
    open: async (name, by) => {
      const database = new URL(urlOf(name)).pathname.slice(1);
      const sql = required(sqls.get(by), by);
      await sql.query({ name: "", text: `alter database ${database} with allow_connections true` });
    },
    start: async (flags = []) => {
      const fixed = ["serve", "--json", "--port", "0", "--cells", file, "--key", ADMIN_KEY, "--start-rate", "0"];
      const outbound = ["--allow-outbound", "localhost,127.0.0.0/8"];
      const server = await startProgram([...fixed, ...outbound, ...flags], directory, {
        SLUICE_DATA: join(directory, "data"),
      });
      servers.push(server);
      return server;
    },
    dispose: async () => {
      await Promise.all(servers.filter(({ isAlive }) => isAlive).map((server) => server.kill()));
      await Promise.all([...sqls.values()].map((sql) => sql.close()));
      await Promise.all([...databases.values()].map((database) => database.drop()));
      rmSync(directory, { recursive: true });
    },
  };
}

export interface OpenedFleet {
  readonly ground: CellsGround;
  readonly server: ServerProcess;
  /** The key of the organisation `acme`, which is in the south. */
  readonly key: string;
}

/** Two cells, a server over both, and an organisation in the second one. */
export async function openFleet(
  flagsOf: (ground: CellsGround) => readonly string[] = () => [],
  directoryName: string | null = null,
): Promise<OpenedFleet> {
  const ground = await createCells(["north", "south"], directoryName);
  const server = await ground.start(flagsOf(ground));
  return { ground, server, key: await makeOrganisation(server.url, "acme") };
}

/** A mover in this process, which waits for no server after a switch. */
export function moverOn(ground: CellsGround, options: Partial<MoverOptions> = {}): Mover {
  return new Mover({
    directory: createDirectory(ground.sql("north")),
    sqlOf: (cell) => ground.sql(cell),
    directoryCell: "north",
    now: Date.now,
    settled: () => Promise.resolve(),
    ...options,
  });
}

function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`there is no ${name}`);
  return value;
}

export interface Answered {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export async function ask(
  url: string,
  key: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const read = text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : { text };
  return { status: response.status, body: read, headers: response.headers };
}

/** A new organisation; its admin key. */
export async function makeOrganisation(url: string, id: string): Promise<string> {
  const { status, body } = await ask(url, ADMIN_KEY, "POST", "/api/v1/organisations", { id });
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return (body["key"] as { readonly key: string }).key;
}

export function apiOf(url: string, key: string): Api {
  return new Api(key, () => [url]);
}

export async function countRuns(sql: Sql, orgId: string): Promise<number> {
  const text = "select count(*)::int as count from runs where org_id = $1";
  const [row] = await sql.query<{ count: number }>({ name: "", text }, [orgId]);
  return row?.count ?? 0;
}

const KEPT = new Set(["cell_moves", "credential_organisations", "memberships"]);

/** Tables with rows of an organisation. The directory keeps who lives where, also of those that live elsewhere. */
export async function leftIn(sql: Sql, orgId: string, ...kept: readonly string[]): Promise<readonly string[]> {
  const tables = await sql.query<{ table_name: string }>({
    name: "",
    text: "select table_name from information_schema.columns where column_name = 'org_id' and table_schema = 'public' order by 1",
  });
  const left: string[] = [];
  for (const { table_name: table } of tables) {
    const [row] = await sql.query<{ n: number }>(
      { name: "", text: `select count(*)::int as n from ${table} where org_id = $1` },
      [orgId],
    );
    const isKept = kept.includes(table) || KEPT.has(table);
    if ((row?.n ?? 0) > 0 && !isKept) left.push(`${table}: ${row?.n}`);
  }
  return left;
}
