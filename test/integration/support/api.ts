import { setTimeout as pause } from "node:timers/promises";
import type { JsonObject } from "../../../src/core/base/index.ts";
import type { StateNode } from "../../../src/contract/index.ts";
import { isTerminal, type RunStatus } from "../../../src/core/event/index.ts";
import type { EventFrame } from "../../../src/core/view/index.ts";
import { PATIENCE_MS } from "./waiting.ts";

/** A run as the API shows it, as far as tests look. */
export interface RunOnWire {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly lastEventId: number;
  readonly outputs?: JsonObject;
}

export interface ApprovalOnWire {
  readonly id: string;
  readonly runId: string;
  readonly status: string;
}

export interface GatewayOnWire {
  readonly id: string;
  readonly status: string;
  readonly instanceId: string | null;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const TRY_AGAIN_MS = 60;

/** A client that knows several servers, some of which may be dead, and asks until one answers. */
export class Api {
  readonly #key: string;
  readonly #urls: () => readonly string[];
  #turn = 0;

  constructor(key: string, urls: () => readonly string[]) {
    this.#key = key;
    this.#urls = urls;
  }

  get headers(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.#key}` };
  }

  /** The servers take turns. */
  nextUrl(): string | undefined {
    const urls = this.#urls();
    this.#turn += 1;
    return urls[this.#turn % Math.max(1, urls.length)];
  }

  async put(path: string, body: object): Promise<void> {
    await this.#insist("PUT", path, body);
  }

  async putWorkflow(name: string, source: string): Promise<void> {
    await this.put(`/workflows/${name}`, { source });
  }

  /** Asked again under the same key until it is accepted: however often that is, it is one run. */
  async startRun(workflow: string, idempotencyKey: string, args: JsonObject = {}): Promise<RunOnWire> {
    const headers = { "idempotency-key": idempotencyKey };
    return (await this.#insist("POST", "/runs", { workflow, args }, headers)) as RunOnWire;
  }

  /** The same id however often it is sent: one event. */
  async sendEvent(event: { readonly id: string; readonly type: string }): Promise<void> {
    await this.#insist("POST", "/events", event);
  }

  /** Sends a small text as a file; the value that args take. */
  async sendFile({ name, mime, text }: { readonly name: string; readonly mime: string; readonly text: string }) {
    const path = `/files?name=${encodeURIComponent(name)}`;
    return (await this.#insist("POST", path, text, { "content-type": mime })) as JsonObject;
  }

  async readFile(sha256: string): Promise<string | null> {
    const url = this.nextUrl();
    if (url === undefined) return null;
    const response = await fetch(`${url}/api/v1/files/${sha256}`, { headers: this.headers });
    return response.ok ? response.text() : null;
  }

  /** The same id however often it is sent: one signal. */
  async signal(runId: string, name: string, id: string): Promise<void> {
    await this.#insist("POST", `/runs/${runId}/signals/${name}`, { id });
  }

  async getRun(runId: string): Promise<RunOnWire> {
    return (await this.#insist("GET", `/runs/${runId}`)) as RunOnWire;
  }

  async listRuns(status?: RunStatus): Promise<readonly RunOnWire[]> {
    return this.#listAll<RunOnWire>(status === undefined ? "/runs?" : `/runs?status=${status}&`);
  }

  async listApprovals(status: string): Promise<readonly ApprovalOnWire[]> {
    return this.#listAll<ApprovalOnWire>(`/approvals?status=${status}&`);
  }

  /** A key of its own for a reader. */
  async viewerKey(label: string): Promise<string> {
    return ((await this.#insist("POST", "/keys", { label, role: "viewer" })) as { readonly key: string }).key;
  }

  async listGateways(): Promise<readonly GatewayOnWire[]> {
    return ((await this.#insist("GET", "/gateways")) as { readonly data: readonly GatewayOnWire[] }).data;
  }

  /** Once, and it may fail: the status, or null when there was no answer. */
  async tryPost(path: string, body: object): Promise<number | null> {
    const answer = await this.#ask("POST", path, body, {});
    return answer?.status ?? null;
  }

  async tryPut(path: string, body: object): Promise<number | null> {
    const answer = await this.#ask("PUT", path, body, {});
    return answer?.status ?? null;
  }

  async getState(runId: string): Promise<{ readonly nodeResults: readonly StateNode[] }> {
    return (await this.#insist("GET", `/runs/${runId}/state`)) as { readonly nodeResults: readonly StateNode[] };
  }

  /** As it has ended. */
  async waitUntilEnded(runId: string): Promise<RunOnWire> {
    for (;;) {
      const run = await this.getRun(runId);
      if (isTerminal(run.status)) return run;
      await pause(TRY_AGAIN_MS);
    }
  }

  async readLog(runId: string): Promise<readonly EventFrame[]> {
    const frames: EventFrame[] = [];
    for (;;) {
      const page = `/runs/${runId}/events?limit=1000&afterEventId=${frames.length}`;
      const { data } = (await this.#insist("GET", page)) as { readonly data: readonly EventFrame[] };
      frames.push(...data);
      if (data.length < 1_000) return frames;
    }
  }

  async #listAll<T>(path: string): Promise<readonly T[]> {
    const all: T[] = [];
    let cursor = "";
    for (;;) {
      const page = (await this.#insist("GET", `${path}limit=100${cursor}`)) as {
        readonly data: readonly T[];
        readonly nextCursor?: string;
      };
      all.push(...page.data);
      if (page.nextCursor === undefined) return all;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }

  /** Tries until a server takes it; a refusal that will not change is an error. */
  async #insist(
    method: string,
    path: string,
    body?: object | string,
    headers: Record<string, string> = {},
  ): Promise<unknown> {
    const until = Date.now() + PATIENCE_MS;
    let last = "no answer";
    while (Date.now() < until) {
      const answer = await this.#ask(method, path, body, headers);
      if (answer !== null && answer.status < 300) return answer.body;
      if (answer !== null) last = `${answer.status} ${JSON.stringify(answer.body)}`;
      if (answer !== null && answer.status < 500 && answer.status !== 429) break;
      await pause(TRY_AGAIN_MS);
    }
    throw new Error(`${method} ${path}: ${last}`);
  }

  async #ask(method: string, path: string, body: object | string | undefined, headers: object): Promise<Answer | null> {
    const url = this.nextUrl();
    if (url === undefined) return null;
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...this.headers, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await response.text();
      return { status: response.status, body: text === "" ? null : (JSON.parse(text) as unknown) };
    } catch {
      return null;
    }
  }
}
