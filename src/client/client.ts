import type {
  Answer,
  Applied,
  Approval,
  ApprovalsQuery,
  Checkpoint,
  Collection,
  Frame,
  Gateway,
  InboxItem,
  Key,
  KeyRequest,
  ListPage,
  ManifestDocument,
  MemoryEntry,
  MintedKey,
  NodeDetail,
  PageOptions,
  PlatformState,
  ProvenanceQuery,
  ProvenanceView,
  Registered,
  Run,
  SavedWorkflow,
  SimulationReport,
  SimulationRequest,
  SlotPage,
  Start,
  State,
  TurnView,
  Validation,
  Version,
  Workflow,
  WorkflowStatus,
} from "../contract/index.ts";
import type { Json, JsonObject } from "../core/base/index.ts";
import { isProvenance, NEEDS } from "./answer-needs.ts";
import { ApprovalClient } from "./approval-client.ts";
import { DeliveryClient } from "./delivery-client.ts";
import { encode } from "./query.ts";
import { FileClient } from "./file-client.ts";
import { TriggerClient } from "./trigger-client.ts";
import { CellClient } from "./cell-client.ts";
import { PauseClient } from "./pause-client.ts";
import { PeopleClient } from "./people-client.ts";
import { EventClient } from "./event-client.ts";
import { HistoryClient } from "./history-client.ts";
import { WebhookClient } from "./webhook-client.ts";
import { idempotent, type RunsFilter, type StartOptions } from "./start-options.ts";
import { RunActionClient } from "./run-action-client.ts";
import { type LaunchOptions, RunClient } from "./run-client.ts";
import type { ResultOptions } from "./run-handle.ts";
import type { AnyWorkflow, GivenArgs, OutputsOf } from "./typed-workflow.ts";
import { watchEvents, type WatchOptions } from "./watch.ts";

/** Typed client of a Sluice server. A call that does not succeed throws `ApiError`. */
export class SluiceClient extends RunActionClient {
  /** Events that steps wait for, and signals. */
  readonly events = new EventClient(this.requests);
  /** Webhooks and their deliveries, and hooks that start runs. */
  readonly webhooks = new WebhookClient(this.requests);
  /** Channels: deliveries of messages to people. */
  readonly channels = new DeliveryClient(this.requests, "channels");
  /** Members, organisations, invitations and sessions. */
  readonly people = new PeopleClient(this.requests);
  readonly files = new FileClient(this.requests);
  /** Many approvals at once, comments and assignments. */
  readonly approvals = new ApprovalClient(this.requests);
  /** Triggers, which start runs. */
  readonly triggers = new TriggerClient(this.requests);
  /** Pausing of runs, workflows and organisations. */
  readonly pauses = new PauseClient(this.requests);
  readonly cells = new CellClient(this.requests);
  /** Deletion, archives, import and erasure. */
  readonly history = new HistoryClient(this.requests);
  /** Starts runs, and returns handles of existing ones. */
  readonly runs = new RunClient(this);

  /** Starts a run and waits for its outputs. */
  run<W extends AnyWorkflow>(
    workflow: W,
    ...given: GivenArgs<W, [options?: LaunchOptions & ResultOptions]>
  ): Promise<OutputsOf<W>> {
    return this.runs.run(workflow, ...given);
  }

  validate(source: string): Promise<Validation> {
    return this.ask("POST", "/validate", { body: { source } }, NEEDS.validation);
  }

  saveWorkflow(name: string, source: string, options: { readonly origin?: "code" } = {}): Promise<SavedWorkflow> {
    return this.ask("PUT", `/workflows/${encode(name)}`, { body: { source, ...options } }, NEEDS.workflow);
  }

  listWorkflows(page: PageOptions = {}): Promise<ListPage<Workflow>> {
    return this.list("/workflows", { query: { ...page } });
  }

  getWorkflow(name: string): Promise<Workflow> {
    return this.ask("GET", `/workflows/${encode(name)}`, {}, NEEDS.workflow);
  }

  getVersion(name: string, version: number): Promise<Version> {
    return this.ask("GET", `/workflows/${encode(name)}/versions/${version}`, {}, NEEDS.version);
  }

  setWorkflowStatus(name: string, status: WorkflowStatus): Promise<Workflow> {
    return this.ask("PATCH", `/workflows/${encode(name)}`, { body: { status } }, NEEDS.workflow);
  }

  startRun(start: Start, options: StartOptions = {}): Promise<Run> {
    const { wait = 0 } = options;
    const query = wait === 0 ? {} : { query: { wait } };
    return this.ask("POST", "/runs", { body: start, headers: idempotent(options), ...query }, NEEDS.run);
  }

  listRuns(filter: PageOptions & RunsFilter = {}): Promise<ListPage<Run>> {
    return this.list("/runs", { query: { ...filter } });
  }

  getRun(runId: string): Promise<Run> {
    return this.ask("GET", `/runs/${encode(runId)}`, {}, NEEDS.run);
  }

  getState(runId: string): Promise<State> {
    return this.ask("GET", `/runs/${encode(runId)}/state`, {}, NEEDS.state);
  }

  getStateAt(runId: string, eventId: number): Promise<State> {
    return this.ask("GET", `/runs/${encode(runId)}/at/${eventId}`, {}, NEEDS.state);
  }

  listEvents(runId: string, page: { afterEventId?: number; limit?: number } = {}): Promise<ListPage<Frame>> {
    return this.list(`/runs/${encode(runId)}/events`, { query: { ...page } });
  }

  listCheckpoints(runId: string, page: { afterEventId?: number; limit?: number } = {}): Promise<ListPage<Checkpoint>> {
    return this.list(`/runs/${encode(runId)}/checkpoints`, { query: { ...page } });
  }

  getCheckpoint(runId: string, eventId: number): Promise<Checkpoint & { readonly state: State }> {
    return this.ask("GET", `/runs/${encode(runId)}/checkpoints/${eventId}`, {}, NEEDS.checkpoint);
  }

  getNode(runId: string, nodeId: string): Promise<NodeDetail> {
    return this.ask("GET", `/runs/${encode(runId)}/nodes/${encode(nodeId)}`, {}, NEEDS.node);
  }

  /** Returns the turn of a node's agent, with its rounds and tool calls. */
  getTurn(runId: string, nodeId: string): Promise<TurnView> {
    return this.ask("GET", `/runs/${encode(runId)}/nodes/${encode(nodeId)}/turn`, {}, NEEDS.turn);
  }

  /** Returns the values passed between the nodes of a run, the lineage of a value, or a document of a standard. */
  getProvenance<W extends ProvenanceQuery>(runId: string, request: W): Promise<ProvenanceView<W>> {
    return this.value("GET", `/runs/${encode(runId)}/provenance`, { query: { ...request } }, isProvenance(request));
  }

  listApprovals(filter: ApprovalsQuery = {}): Promise<ListPage<InboxItem>> {
    return this.list("/approvals", { query: { ...filter } });
  }

  getApproval(approvalId: string): Promise<Approval> {
    return this.ask("GET", `/approvals/${encode(approvalId)}`, {}, NEEDS.approval);
  }

  resolveApproval(approvalId: string, answer: Answer): Promise<Approval> {
    return this.ask("POST", `/approvals/${encode(approvalId)}/resolve`, { body: answer }, NEEDS.approval);
  }

  createKey(request: KeyRequest): Promise<MintedKey> {
    return this.ask("POST", "/keys", { body: request }, NEEDS.newKey);
  }

  listKeys(page: PageOptions = {}): Promise<ListPage<Key>> {
    return this.list("/keys", { query: { ...page } });
  }

  revokeKey(keyId: string): Promise<void> {
    return this.command("DELETE", `/keys/${encode(keyId)}`);
  }

  /** Lists all gateways on one page, as there are only a few. */
  listGateways(): Promise<ListPage<Gateway>> {
    return this.list("/gateways");
  }

  getGateway(id: string): Promise<Gateway> {
    return this.ask("GET", `/gateways/${encode(id)}`, {}, NEEDS.registered);
  }

  /** Saves a gateway. `spec` is written as in its manifest, in snake_case. */
  putGateway(id: string, spec: JsonObject): Promise<Gateway> {
    return this.ask("PUT", `/gateways/${encode(id)}`, { body: spec }, NEEDS.registered);
  }

  deleteGateway(id: string): Promise<void> {
    return this.command("DELETE", `/gateways/${encode(id)}`);
  }

  listRegistered(collection: Collection, page: PageOptions = {}): Promise<ListPage<Registered>> {
    return this.list(`/${collection}`, { query: { ...page } });
  }

  getRegistered(collection: Collection, id: string): Promise<Registered> {
    return this.ask("GET", `/${collection}/${encode(id)}`, {}, NEEDS.registered);
  }

  /** Saves a registered object. `spec` is written as in its manifest, in snake_case. */
  putRegistered(collection: Collection, id: string, spec: JsonObject): Promise<Registered> {
    return this.ask("PUT", `/${collection}/${encode(id)}`, { body: spec }, NEEDS.registered);
  }

  /** Sets a new value for a secret. The value is never shown again. */
  rotateSecret(name: string, value: string): Promise<Registered> {
    return this.ask("POST", `/secrets/${encode(name)}/rotate`, { body: { value } }, NEEDS.registered);
  }

  deleteRegistered(collection: Collection, id: string): Promise<void> {
    return this.command("DELETE", `/${collection}/${encode(id)}`);
  }

  /** Lists the memory entries of an agent, newest first. */
  listMemory(agentId: string, page: PageOptions = {}): Promise<ListPage<MemoryEntry>> {
    return this.list(`/agents/${encode(agentId)}/memory`, { query: { ...page } });
  }

  /** Permanently deletes all memory entries of an agent. */
  forgetMemory(agentId: string): Promise<void> {
    return this.command("DELETE", `/agents/${encode(agentId)}/memory`);
  }

  /** Lists the past slots of a schedule with their results, newest first, and the next slots. */
  listSlots(scheduleId: string, page: PageOptions = {}): Promise<SlotPage> {
    return this.list(`/schedules/${encode(scheduleId)}/slots`, { query: { ...page } });
  }

  /** Applies either all of the manifests or none. */
  apply(manifests: readonly ManifestDocument[], options: { readonly dryRun?: boolean } = {}): Promise<Applied> {
    const query = { dryRun: String(options.dryRun === true) };
    return this.ask("POST", "/apply", { body: manifests, query }, NEEDS.applied);
  }

  getPlatform(): Promise<PlatformState> {
    return this.ask("GET", "/platform", {}, NEEDS.platform);
  }

  setPlatform(state: { readonly open: boolean; readonly reason?: string }): Promise<PlatformState> {
    return this.ask("PUT", "/platform", { body: state }, NEEDS.platform);
  }

  simulate(request: SimulationRequest): Promise<SimulationReport> {
    return this.ask("POST", "/simulate", { body: request }, NEEDS.simulation);
  }

  getBlob(hash: string): Promise<Json> {
    return this.value("GET", `/blobs/${encode(hash)}`, {}, () => true);
  }

  /** Yields the events of a run in order, each exactly once, until the run has ended. Reconnects automatically. */
  watchRun(runId: string, options: WatchOptions = {}): AsyncGenerator<Frame, void> {
    const path = `/runs/${encode(runId)}/events/stream`;
    return watchEvents(this.url, (after, signal) => this.follow(`${path}?afterEventId=${after}`, signal), options);
  }
}
