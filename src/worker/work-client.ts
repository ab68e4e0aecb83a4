import type {
  ClaimRequest,
  ClaimReply,
  CompleteReply,
  CompleteRequest,
  HeartbeatRequest,
  HeartbeatReply,
} from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { createProxyFetch } from "./proxy-fetch.ts";
import { WorkerError } from "./worker-error.ts";

export interface WorkClientOptions {
  readonly url: string;
  readonly key: string;
  readonly fetch?: typeof fetch;
}

/** The server is unavailable or busy, so another try may succeed. */
export class ServerAway extends Error {
  override readonly name = "ServerAway";
}

const ANSWER_MS = 30_000;
/** A poll is answered within 25 s. After this time the answer counts as lost. */
const POLL_ANSWER_MS = 40_000;

/** The requests of a worker. All connections go from the worker to the server; the worker listens nowhere. */
export class WorkClient {
  readonly #url: string;
  readonly #key: string;
  readonly #fetch: typeof fetch;

  constructor({ url, key, fetch: given }: WorkClientOptions) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#fetch = given ?? createProxyFetch();
  }

  async register(name: string, spec: JsonObject): Promise<void> {
    await this.#send("PUT", `/api/v1/functions/${encodeURIComponent(name)}`, spec, AbortSignal.timeout(ANSWER_MS));
  }

  claim(body: ClaimRequest, signal: AbortSignal): Promise<ClaimReply> {
    return this.#send(
      "POST",
      "/api/v2/work/claim",
      body,
      AbortSignal.any([signal, AbortSignal.timeout(POLL_ANSWER_MS)]),
      ["work", "cancelled"],
    );
  }

  heartbeat(body: HeartbeatRequest): Promise<HeartbeatReply> {
    return this.#send("POST", "/api/v2/work/heartbeat", body, AbortSignal.timeout(ANSWER_MS), ["lost"]);
  }

  complete(body: CompleteRequest): Promise<CompleteReply> {
    return this.#send("POST", "/api/v2/work/complete", body, AbortSignal.timeout(ANSWER_MS), ["results"]);
  }

  /** Sends a request. A proxy may answer in place of the server, so an answer without the expected lists is rejected. */
  async #send<T>(
    method: string,
    path: string,
    body: object,
    signal: AbortSignal,
    lists: readonly string[] = [],
  ): Promise<T> {
    let response: Response;
    let text: string;
    try {
      const headers = { authorization: `Bearer ${this.#key}`, "content-type": "application/json" };
      response = await this.#fetch(`${this.#url}${path}`, { method, headers, body: JSON.stringify(body), signal });
      text = await response.text();
    } catch (error) {
      throw new ServerAway(`${this.#url} does not answer: ${reasonOf(error)}`);
    }
    if (!response.ok) throw this.#refusal(response.status, text, path);
    const answer = answerIn(text);
    if (answer !== null && lists.every((name) => Array.isArray(answer[name]))) return answer as T;
    throw new ServerAway(`${this.#url} sent half an answer, or something else than was asked for`);
  }

  #refusal(status: number, text: string, path: string): Error {
    const { code, detail } = problemIn(text);
    if (status >= 500 || status === 408 || status === 425 || status === 429) {
      return new ServerAway(`${this.#url} answered ${status}: ${detail}`);
    }
    if (status === 404 && code === "not_found") {
      const message = `${this.#url} has no ${path}: it is no Sluice that knows workers. Upgrade the server.`;
      return new WorkerError("protocol_unsupported", message);
    }
    if (status === 401) {
      return new WorkerError(code, `${this.#url} does not take the key: ${detail}`);
    }
    return new WorkerError(code, detail);
  }
}

/** Null when the text is not a JSON object. */
function answerIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? (value as Readonly<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

function problemIn(text: string): { readonly code: string; readonly detail: string } {
  try {
    const { code, detail, problems } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const [first] = Array.isArray(problems) ? (problems as { message?: unknown }[]) : [];
    const more = typeof first?.message === "string" && first.message !== detail ? ` ${first.message}` : "";
    if (typeof code === "string" && typeof detail === "string") return { code, detail: `${detail}${more}` };
  } catch {
    // A proxy answered with a text of its own.
  }
  return { code: "refused", detail: text.slice(0, 200) };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? cause.message : error.message;
}
