import { SluiceClient } from "../client/index.ts";
import type { ServerLink } from "./server-link.ts";

/** No answer at all, or none that a server of ours would give. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** Since when every connection has failed; null while they work. */
interface Trouble {
  since: number | null;
}

/** A server as the commands use one: whatever keeps them from reaching it is said in one way. */
export class Api extends SluiceClient {
  readonly url: string;
  readonly #trouble: Trouble;
  readonly #fetch: typeof fetch;

  constructor({ url, key }: Pick<ServerLink, "url" | "key">, now: () => number) {
    const trouble: Trouble = { since: null };
    const watched: typeof fetch = (input, init) => fetchWatched(url, trouble, now, input, init);
    super({ url, fetch: watched, ...(key === null ? {} : { key }) });
    this.url = url;
    this.#trouble = trouble;
    this.#fetch = watched;
  }

  get troubleSince(): number | null {
    return this.#trouble.since;
  }

  /** Resolves when the server is alive. */
  async health(): Promise<void> {
    const response = await this.#fetch(`${this.url}/healthz`);
    await response.body?.cancel();
    if (!response.ok) throw new Unreachable(`${this.url} is not well: it answered ${response.status}`);
  }
}

async function fetchWatched(
  url: string,
  trouble: Trouble,
  now: () => number,
  ...request: Parameters<typeof fetch>
): Promise<Response> {
  try {
    const response = await fetch(...request);
    if (!isOurs(response)) throw new Unreachable(`${url} answers, but it is no Sluice server (${response.status})`);
    trouble.since = null;
    return response;
  } catch (thrown) {
    trouble.since ??= now();
    throw thrown instanceof Unreachable ? thrown : new Unreachable(`cannot reach ${url}: ${reasonOf(thrown)}`);
  }
}

/** A proxy, or somebody else's server, answers in pages. */
function isOurs(response: Response): boolean {
  const type = response.headers.get("content-type") ?? "";
  return response.status === 204 || /^(?:application\/(?:problem\+|x-nd)?json|text\/(?:event-stream|plain))/.test(type);
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "there is no such host"],
  ["EAI_AGAIN", "the name of the host cannot be looked up"],
  ["ECONNRESET", "the connection was cut"],
  ["UND_ERR_SOCKET", "the connection was cut"],
  ["UND_ERR_CONNECT_TIMEOUT", "it does not answer"],
]);

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return REASONS.get(code) ?? (cause instanceof Error && cause.message !== "" ? cause.message : code || "no answer");
}
