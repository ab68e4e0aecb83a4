import { Client, type ClientConfig } from "pg";
import type { DatabaseHost } from "../index.ts";
import type { LeaderSearch } from "./leader-search.ts";

/** A host could not be connected to, or accepts no writes. */
export class HostFailure extends Error {
  override readonly name = "HostFailure";
}

/** A host is a standby that follows another one. */
class IsStandby extends Error {
  override readonly name = "IsStandby";
  constructor() {
    super("it is a standby (in recovery) and takes no writes");
  }
}

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** Makes the client class of the pool. Each client tries the next host of the search, and counts as connected only if it takes writes. */
export function leaderClients(search: LeaderSearch, settings: ClientConfig): new () => Client {
  return class LeaderClient extends Client {
    readonly #host: DatabaseHost;

    constructor() {
      const host = search.next;
      super({ ...settings, connectionString: host.url });
      this.#host = host;
      // Without a listener, a connection that dies during the role check would end the process. The query itself fails anyway.
      this.on("error", () => undefined);
    }

    // Same overloads as `Client`: with a callback, as a pool calls it, nothing is returned.
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
        search.skip(this.#host);
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
