import type { Json, JsonObject } from "../core/base/index.ts";
import type { ApprovalStatus, RunStatus } from "../core/event/index.ts";
import { problemOf } from "./api-problem.ts";
import { encode, type Query, queryText } from "./query.ts";
import type { Applied, Collection, ManifestDocument, PlatformState, Registered } from "./registry-wire.ts";
import type {
  BacktestReport,
  NodeVerdict,
  SimulationReport,
  SimulationWish,
  Usage,
  UsageWish,
} from "./governance-wire.ts";
import type { SlotPage } from "./schedule-wire.ts";
import { WebhookClient } from "./webhook-client.ts";
import type { ProvenanceWish, ToldProvenance } from "./provenance-wire.ts";
import { type BranchOptions, idempotent, type StartOptions } from "./start-options.ts";
import { watchEvents, type WatchOptions } from "./watch.ts";
import type {
  Answer,
  Approval,
  Checkpoint,
  Frame,
  Gateway,
  Key,
  KeyWish,
  ListPage,
  NodeDetail,
  PageOptions,
  Run,
  SavedWorkflow,
  Start,
  State,
  Validation,
  Version,
  Workflow,
  WorkflowStatus,
} from "./wire.ts";

export interface ClientOptions {
  /** Where the server is, such as http://127.0.0.1:7717. */
  readonly url: string;
  /** `slk_…`; a page of the server itself may leave it out and use its session. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

interface Asked {
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server of Sluice, typed. Whatever it refuses is thrown as `ApiProblem`. */
export class SluiceClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  /** What webhooks are sent, and messages that start runs. */
  readonly webhooks = new WebhookClient((method, path, asked) => this.#send(method, path, asked));

  constructor({ url, key, fetch: given }: ClientOptions) {
    this.#base = `${url.replace(/\/+$/, "")}/api/v1`;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#fetch = given ?? ((input, init) => fetch(input, init));
  }

  validate(source: string): Promise<Validation> {
    return this.#ask("POST", "/validate", { body: { source } });
  }

  saveWorkflow(name: string, source: string): Promise<SavedWorkflow> {
    return this.#ask("PUT", `/workflows/${encode(name)}`, { body: { source } });
  }

  listWorkflows(page: PageOptions = {}): Promise<ListPage<Workflow>> {
    return this.#ask("GET", "/workflows", { query: { ...page } });
  }

  getWorkflow(name: string): Promise<Workflow> {
    return this.#ask("GET", `/workflows/${encode(name)}`);
  }

  getVersion(name: string, version: number): Promise<Version> {
    return this.#ask("GET", `/workflows/${encode(name)}/versions/${version}`);
  }

  setWorkflowStatus(name: string, status: WorkflowStatus): Promise<Workflow> {
    return this.#ask("PATCH", `/workflows/${encode(name)}`, { body: { status } });
  }

  startRun(start: Start, options: StartOptions = {}): Promise<Run> {
    return this.#ask("POST", "/runs", { body: start, headers: idempotent(options) });
  }

  listRuns(
    filter: PageOptions & { status?: RunStatus; workflow?: string; parent?: string } = {},
  ): Promise<ListPage<Run>> {
    return this.#ask("GET", "/runs", { query: { ...filter } });
  }

  getRun(runId: string): Promise<Run> {
    return this.#ask("GET", `/runs/${encode(runId)}`);
  }

  getState(runId: string): Promise<State> {
    return this.#ask("GET", `/runs/${encode(runId)}/state`);
  }

  getStateAt(runId: string, eventId: number): Promise<State> {
    return this.#ask("GET", `/runs/${encode(runId)}/at/${eventId}`);
  }

  listEvents(runId: string, page: { afterEventId?: number; limit?: number } = {}): Promise<ListPage<Frame>> {
    return this.#ask("GET", `/runs/${encode(runId)}/events`, { query: { ...page } });
  }

  listCheckpoints(runId: string, page: { afterEventId?: number; limit?: number } = {}): Promise<ListPage<Checkpoint>> {
    return this.#ask("GET", `/runs/${encode(runId)}/checkpoints`, { query: { ...page } });
  }

  getCheckpoint(runId: string, eventId: number): Promise<Checkpoint & { readonly state: State }> {
    return this.#ask("GET", `/runs/${encode(runId)}/checkpoints/${eventId}`);
  }

  getNode(runId: string, nodeId: string): Promise<NodeDetail> {
    return this.#ask("GET", `/runs/${encode(runId)}/nodes/${encode(nodeId)}`);
  }

  /** The hand-offs of a run, the lineage of a value, or a document of a standard. */
  getProvenance<W extends ProvenanceWish>(runId: string, wish: W): Promise<ToldProvenance<W>> {
    return this.#ask("GET", `/runs/${encode(runId)}/provenance`, { query: { ...wish } });
  }

  cancelRun(runId: string, reason?: string): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/cancel`, { body: { reason } });
  }

  restartRun(runId: string, fromNode?: string, options: StartOptions = {}): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/restart`, { body: { fromNode }, headers: idempotent(options) });
  }

  rewindRun(runId: string, eventId: number): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/rewind`, { body: { eventId } });
  }

  branchRun(runId: string, eventId: number, args?: JsonObject, options: BranchOptions = {}): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/branch`, {
      body: { eventId, args, inputsFrom: options.inputsFrom },
      headers: idempotent(options),
    });
  }

  recoverRun(runId: string, reason?: string): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/recover`, { body: { reason } });
  }

  resolveNode(runId: string, nodeId: string, given: { assignTo?: string; values?: JsonObject }): Promise<Run> {
    return this.#ask("POST", `/runs/${encode(runId)}/nodes/${encode(nodeId)}/resolve`, { body: given });
  }

  listApprovals(filter: PageOptions & { status?: ApprovalStatus } = {}): Promise<ListPage<Approval>> {
    return this.#ask("GET", "/approvals", { query: { ...filter } });
  }

  getApproval(approvalId: string): Promise<Approval> {
    return this.#ask("GET", `/approvals/${encode(approvalId)}`);
  }

  resolveApproval(approvalId: string, answer: Answer): Promise<Approval> {
    return this.#ask("POST", `/approvals/${encode(approvalId)}/resolve`, { body: answer });
  }

  createKey(wish: KeyWish): Promise<Key & { readonly key: string }> {
    return this.#ask("POST", "/keys", { body: wish });
  }

  listKeys(page: PageOptions = {}): Promise<ListPage<Key>> {
    return this.#ask("GET", "/keys", { query: { ...page } });
  }

  async revokeKey(keyId: string): Promise<void> {
    await this.#send("DELETE", `/keys/${encode(keyId)}`, {});
  }

  /** All of them: there are few. */
  listGateways(): Promise<ListPage<Gateway>> {
    return this.#ask("GET", "/gateways");
  }

  getGateway(id: string): Promise<Gateway> {
    return this.#ask("GET", `/gateways/${encode(id)}`);
  }

  async deleteGateway(id: string): Promise<void> {
    await this.#send("DELETE", `/gateways/${encode(id)}`, {});
  }

  /** The audit log of the organisation, as NDJSON, as it comes. */
  exportAudit(): Promise<ReadableStream<Uint8Array>> {
    return this.#read("/audit/export");
  }

  /** Everything about a run as one JSON text, as it comes. */
  getPacket(runId: string): Promise<ReadableStream<Uint8Array>> {
    return this.#read(`/runs/${encode(runId)}/packet`);
  }

  listRegistered(collection: Collection, page: PageOptions = {}): Promise<ListPage<Registered>> {
    return this.#ask("GET", `/${collection}`, { query: { ...page } });
  }

  getRegistered(collection: Collection, id: string): Promise<Registered> {
    return this.#ask("GET", `/${collection}/${encode(id)}`);
  }

  /** `spec` as its manifest writes it, in snake_case. */
  putRegistered(collection: Collection, id: string, spec: JsonObject): Promise<Registered> {
    return this.#ask("PUT", `/${collection}/${encode(id)}`, { body: spec });
  }

  async deleteRegistered(collection: Collection, id: string): Promise<void> {
    await this.#send("DELETE", `/${collection}/${encode(id)}`, {});
  }

  /** What became of the slots of a schedule, newest first, and which come next. */
  listSlots(scheduleId: string, page: PageOptions = {}): Promise<SlotPage> {
    return this.#ask("GET", `/schedules/${encode(scheduleId)}/slots`, { query: { ...page } });
  }

  /** All of the manifests or none. */
  apply(manifests: readonly ManifestDocument[], options: { readonly dryRun?: boolean } = {}): Promise<Applied> {
    return this.#ask("POST", "/apply", { body: manifests, query: { dryRun: String(options.dryRun === true) } });
  }

  getPlatform(): Promise<PlatformState> {
    return this.#ask("GET", "/platform");
  }

  setPlatform(state: { readonly open: boolean; readonly reason?: string }): Promise<PlatformState> {
    return this.#ask("PUT", "/platform", { body: state });
  }

  listVerdicts(runId: string, page: PageOptions = {}): Promise<ListPage<NodeVerdict>> {
    return this.#ask("GET", `/runs/${encode(runId)}/verdicts`, { query: { ...page } });
  }

  getUsage(wish: UsageWish = {}): Promise<Usage> {
    return this.#ask("GET", "/usage", { query: { ...wish } });
  }

  /** `policy` as its manifest, or the spec of one. */
  backtestPolicy(policy: JsonObject, since?: string): Promise<BacktestReport> {
    return this.#ask("POST", "/policies/backtest", { body: { policy, since } });
  }

  simulate(wish: SimulationWish): Promise<SimulationReport> {
    return this.#ask("POST", "/simulate", { body: wish });
  }

  getBlob(hash: string): Promise<Json> {
    return this.#ask("GET", `/blobs/${encode(hash)}`);
  }

  /** The events of a run in order, each exactly once, until it has ended; reconnects by itself. */
  watchRun(runId: string, options: WatchOptions = {}): AsyncGenerator<Frame, void> {
    const url = `${this.#base}/runs/${encode(runId)}/events/stream`;
    const headers = { ...this.#headers, accept: "text/event-stream" };
    return watchEvents((after, signal) => this.#fetch(`${url}?afterEventId=${after}`, { headers, signal }), options);
  }

  async #read(path: string): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#send("GET", path, {});
    return body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  async #ask<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
    const response = await this.#send(method, path, asked);
    return (await response.json()) as T;
  }

  async #send(method: string, path: string, { query = {}, body, headers = {} }: Asked): Promise<Response> {
    const response = await this.#fetch(`${this.#base}${path}${queryText(query)}`, {
      method,
      headers: {
        ...this.#headers,
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}
