import { getSession, type Session, SluiceClient } from "../client/index.ts";
import { fetchFromServer } from "../outbound/index.ts";
import type { ServerLink } from "./server-link.ts";

/** A server as the commands use one. Whatever keeps them from reaching it is an `ApiError`, like everything it refuses. */
export class Api extends SluiceClient {
  readonly #link: Pick<ServerLink, "url" | "key">;

  constructor(link: Pick<ServerLink, "url" | "key">) {
    // A person waits: what is wrong is printed at once.
    super({ url: link.url, retries: 0, fetch: fetchFromServer, ...(link.key === null ? {} : { key: link.key }) });
    this.#link = link;
  }

  /** Whom the server takes the key for. */
  getSession(): Promise<Session> {
    const { url, key } = this.#link;
    return getSession({ url, retries: 0, fetch: fetchFromServer, ...(key === null ? {} : { key }) });
  }

  /** The address the server names to Bridges and to all others; null when none is set. */
  async getPublicUrl(): Promise<string | null> {
    const response = await fetchFromServer(`${this.url}/openapi.json`);
    const { servers = [] } = (await response.json()) as { readonly servers?: readonly { readonly url: string }[] };
    return servers[0]?.url ?? null;
  }
}
