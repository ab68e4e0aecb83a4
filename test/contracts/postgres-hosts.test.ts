import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sql, StoreUnavailable } from "../../src/store/index.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { type PostgresInstance, startPostgres } from "../integration/support/postgres-instance.ts";
import { waitFor } from "../integration/support/waiting.ts";

const plain = (text: string): { name: string; text: string } => ({ name: "", text });
const START_MS = 300_000;

/** An address in front of a server that can stop answering without a word, as a machine does that lost its power. */
async function openRelay(port: number): Promise<{ port: number; vanish(): void; close(): void }> {
  const sockets = new Set<Socket>();
  let isGone = false;
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => isGone || far.write(chunk)).on("end", () => isGone || far.end());
    far.on("data", (chunk) => isGone || near.write(chunk)).on("end", () => isGone || near.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    vanish: () => {
      isGone = true;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe("a database of several hosts", () => {
  let leader: PostgresInstance;
  let standby: PostgresInstance;
  const opened: Sql[] = [];
  const open = (url: string): ReturnType<typeof openPostgres> => {
    const sql = openPostgres({ url, connections: 4 });
    opened.push(sql);
    return sql;
  };
  const port = (instance: PostgresInstance): string => new URL(instance.url).port;
  const urlOf = (...ports: (string | number)[]): string =>
    `postgres://sluice:hush@${ports.map((one) => `127.0.0.1:${one}`).join(",")}/postgres`;
  const portOf = async (sql: Sql): Promise<string> => {
    const [row] = await sql.query<{ port: string }>(plain("select current_setting('port') as port"));
    return row?.port ?? "";
  };
  /** A host that does not answer within two seconds is passed over: on a slow machine, all of them may be. */
  const untilAt = (sql: Sql, instance: PostgresInstance): Promise<void> =>
    expect.poll(() => portOf(sql).catch(() => "")).toBe(port(instance));
  const promote = async (): Promise<void> => {
    const { Client } = await import("pg");
    const client = new Client({ connectionString: standby.url });
    await client.connect();
    await client.query("select pg_promote()");
    await client.end();
  };

  beforeEach(async () => {
    leader = await startPostgres();
    standby = await startPostgres({ follows: leader.url });
  }, START_MS);
  afterEach(async () => {
    for (const sql of opened.splice(0)) await sql.close();
    await standby.dispose();
    await leader.dispose();
  });

  it("uses the one that takes writes, wherever it is named", async () => {
    for (const ports of [
      [port(leader), port(standby)],
      [port(standby), port(leader)],
    ]) {
      const sql = open(urlOf(...ports));
      await untilAt(sql, leader);
      await sql.query(plain("create table if not exists written (n int)"));
    }
  });

  it("names each host and its reason when none takes writes, and no password", async () => {
    await leader.stopImmediately();
    const sql = open(urlOf(port(leader), port(standby)));
    let message = "";
    const ask = async (): Promise<string> => {
      const failure = await sql.query(plain("select 1")).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StoreUnavailable);
      message = (failure as StoreUnavailable).message;
      return message;
    };
    await expect.poll(ask).toContain(`127.0.0.1:${port(standby)}: it is a standby (in recovery) and takes no writes`);
    expect(message).toContain(`127.0.0.1:${port(leader)}: connect ECONNREFUSED`);
    expect(message).not.toContain("hush");
  });

  it("goes on at the host that was promoted", async () => {
    const sql = open(urlOf(port(leader), port(standby)));
    await Promise.all([1, 2, 3, 4].map(() => sql.query(plain("select pg_sleep(0.05)"))));
    await leader.stopImmediately();
    await expect(sql.query(plain("select 1"))).rejects.toThrow(StoreUnavailable);
    await promote();
    await untilAt(sql, standby);
    await sql.query(plain("create table written (n int)"));
    // The old one is back, as a leader of its own: what follows stays where it is.
    await leader.start();
    expect(await Promise.all([1, 2, 3].map(() => portOf(sql)))).toEqual([1, 2, 3].map(() => port(standby)));
  });

  it("throws away a connection whose host refused a write", async () => {
    const sql = open(urlOf(port(leader), port(standby)));
    const backend = async (): Promise<unknown> =>
      (await sql.query<{ pid: number }>(plain("select pg_backend_pid() as pid")))[0]?.pid;
    await sql.query(plain("alter system set default_transaction_read_only = on"));
    await sql.query(plain("select pg_reload_conf()"));
    const isRefused = (): Promise<boolean> =>
      sql.query(plain("create table if not exists written (n int)")).then(
        () => false,
        (error: unknown) => error instanceof StoreUnavailable && error.message.includes("read-only"),
      );
    await waitFor("the host to take no writes", isRefused);
    const before = await backend();
    expect(await isRefused()).toBe(true);
    const between = await backend();
    expect(between).not.toBe(before);
    await expect(sql.transaction((within) => within.query(plain("create table other (n int)")))).rejects.toThrow(
      StoreUnavailable,
    );
    expect(await backend()).not.toBe(between);
  });

  it("does not wait for a machine that vanished once another one leads", async () => {
    const relay = await openRelay(Number(port(leader)));
    const sql = open(urlOf(relay.port, port(standby)));
    await untilAt(sql, leader);
    relay.vanish();
    const waiting = sql.query(plain("select 1"));
    const refused = expect(waiting).rejects.toThrow("the database cannot be used now: Connection terminated");
    await promote();
    await refused;
    await untilAt(sql, standby);
    relay.close();
  });
});
