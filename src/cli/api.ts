import { getSession, type Session, SluiceClient } from "../client/index.ts";
import { fetchFromServer } from "../outbound/index.ts";
import type { ServerLink } from "./server-link.ts";

/** The client that the commands use. Both connection problems and refusals are thrown as `ApiError`. */
export class Api extends SluiceClient {
  readonly #link: Pick<ServerLink, "url" | "key">;

  constructor(link: Pick<ServerLink, "url" | "key">) {
    // No retries, so that the person at the terminal sees a problem at once.
    super({ url: link.url, retries: 0, fetch: fetchFromServer, ...(link.key === null ? {} : { key: link.key }) });
    this.#link = link;
  }

  /** Returns the session that the server assigns to the key. */
  getSession(): Promise<Session> {
    const { url, key } = this.#link;
    return getSession({ url, retries: 0, fetch: fetchFromServer, ...(key === null ? {} : { key }) });
  }

  /** Returns the server's public address. Null when none is set. */
  async getPublicUrl(): Promise<string | null> {
    const response = await fetchFromServer(`${this.url}/openapi.json`);
    const { servers = [] } = (await response.json()) as { readonly servers?: readonly { readonly url: string }[] };
    return servers[0]?.url ?? null;
  }
}
