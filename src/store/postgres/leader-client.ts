import { Client, type ClientConfig } from "pg";
import type { DatabaseHost } from "../index.ts";
import type { LeaderSearch } from "./leader-search.ts";

/** A host could not be connected to, or takes no writes. */
export class HostFailure extends Error {
  override readonly name = "HostFailure";
}

/** A host follows another one. */
class IsStandby extends Error {
  override readonly name = "IsStandby";
  constructor() {
    super("it is a standby (in recovery) and takes no writes");
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** Connections that try the host whose turn it is, and are only connected when it takes writes. */
export function leaderClients(search: LeaderSearch, settings: ClientConfig): new () => Client {
  return class LeaderClient extends Client {
    readonly #host: DatabaseHost;

    constructor() {
      const host = search.next;
      super({ ...settings, connectionString: host.url });
      this.#host = host;
      // A connection that dies while its role is asked would end the process; the question fails by itself.
      this.on("error", () => undefined);
    }

    // As `Client` declares it: with a callback, which is how a pool calls it, nothing is returned.
    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | undefined {
      const reached = this.#reach();
      if (callback === undefined) return reached;
      const done = callback as (error: unknown) => void;
      reached.then(() => done(null), done);
      return undefined;
    }

    async #reach(): Promise<Client> {
      try {
        await super.connect();
        await checkLeads(this);
        search.found(this, this.#host);
        return this;
      } catch (error) {
        search.passOver(this.#host);
        this.end().catch(() => undefined);
        throw new HostFailure(this.#host.name, { cause: error });
      }
    }
  };
}

export async function checkLeads(client: Client): Promise<void> {
  const { rows } = await client.query<{ is_standby: boolean }>("select pg_is_in_recovery() as is_standby");
  if (rows[0]?.is_standby !== false) throw new IsStandby();
}
