import { LIMITS } from "../core/base/index.ts";
import { SLACK_URL } from "../outside/channel/index.ts";
import type { Timing } from "../registry/index.ts";
import type { OwnAnswer, SharedPath } from "./process-answers.ts";

/** Settings of an API. All have defaults that suit one process on one machine. */
export interface ApiConfig {
  /** Version of the program. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Returns the difference between the clock of this machine and the time of the database. */
  readonly clockSkewMs: () => number;
  /** Public URL of the server, when it differs from the address it listens at. */
  readonly publicUrl: string | null;
  /** Host names and addresses under which the server accepts requests, besides those of this machine and of `publicUrl`. */
  readonly hosts: readonly string[];
  /** Directory of the built console; null to run without it. */
  readonly consoleDirectory: string | null;
  /** Origins besides this server that the console may call: models with which people run workflows in the browser. */
  readonly consoleConnect: readonly string[];
  readonly streamsMax: number;
  readonly streamsPerOrganisationMax: (orgId: string) => number;
  readonly streamsPerPrincipalMax: number;
  /** Interval at which the keys of open streams are checked. A revoked key ends its streams, whichever replica revoked it. */
  readonly keyCheckMs: number;
  /** Interval at which the last event ids of all watched runs are queried. */
  readonly tailMs: number;
  readonly heartbeatMs: number;
  /** Maximum number of bytes that may wait for a client that does not read. */
  readonly backlogBytesMax: number;
  /** Time after which the stream of a client that does not read is cut. */
  readonly stallMs: number;
  /** Maximum time the response to a delivery waits for the outputs of its run. */
  readonly respondMs: number;
  /** Base URL of the Web API of Slack. */
  readonly slackUrl: string;
  /** `advisory`: the listed approvers are notified, but any key with the permission may answer, as in earlier versions. */
  readonly approvers: "enforced" | "advisory";
  /** Returns the next slots of a schedule from an instant on, up to `count`. */
  readonly nextSlots: (timing: Timing, from: number, count: number) => readonly number[];
  /** Returns the answers of all processes that serve one port; absent when this process serves alone. */
  readonly allProcesses?: (path: SharedPath) => Promise<readonly OwnAnswer[]>;
  /** Returns figures about the export of spans, if spans are exported. */
  readonly spanFigures?: () => SpanFigures;
  /** Called with unexpected errors. The response contains only the request id. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface SpanFigures {
  readonly queuedSpans: number;
  readonly sentSpans: number;
  readonly droppedSpans: number;
  readonly failedRequests: number;
}

export const DEFAULT_CONFIG: ApiConfig = {
  version: "unknown",
  now: Date.now,
  clockSkewMs: () => 0,
  publicUrl: null,
  hosts: [],
  consoleDirectory: null,
  consoleConnect: [],
  streamsMax: LIMITS.streamsPerProcessMax,
  streamsPerOrganisationMax: () => LIMITS.streamsPerOrganisationMax,
  streamsPerPrincipalMax: LIMITS.streamsPerPrincipalMax,
  keyCheckMs: 700,
  tailMs: 250,
  heartbeatMs: 15_000,
  backlogBytesMax: 1_048_576,
  stallMs: 60_000,
  respondMs: 30_000,
  slackUrl: SLACK_URL,
  approvers: "enforced",
  nextSlots: () => [],
  onTrouble: () => undefined,
};
