import { LIMITS } from "../core/base/index.ts";
import { SLACK_URL } from "../outside/channel/index.ts";
import type { Timing } from "../registry/index.ts";
import type { OwnAnswer, TogetherPath } from "./together.ts";

/** How an API is set up. Everything has a default that suits one process on one machine. */
export interface ApiConfig {
  /** Of the program. */
  readonly version: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** How far the clock of this machine is from the time of the database. */
  readonly clockSkewMs: () => number;
  /** Where people reach the server, when that is not where it listens. */
  readonly publicUrl: string | null;
  /** Names and addresses the server is called by, besides those of this machine and of `publicUrl`. */
  readonly hosts: readonly string[];
  /** Where the built console is; null: without it. */
  readonly consoleDirectory: string | null;
  /** Origins besides this server that the console may call: models people run workflows with in their own page. */
  readonly consoleConnect: readonly string[];
  readonly streamsMax: number;
  readonly streamsPerOrganisationMax: (orgId: string) => number;
  readonly streamsPerPrincipalMax: number;
  /** How often the keys of open streams are looked at: a revoked one ends its streams, whichever replica revoked it. */
  readonly keyCheckMs: number;
  /** How often the last event ids of all watched runs are asked for. */
  readonly tailMs: number;
  readonly heartbeatMs: number;
  /** Bytes a stream may fall behind while its client does not read. */
  readonly backlogBytesMax: number;
  /** How long a client may leave its stream unread before it is cut. */
  readonly stallMs: number;
  /** How long the answer to a delivery waits for the outputs of its run. */
  readonly respondMs: number;
  /** Where the Web API of Slack is. */
  readonly slackUrl: string;
  /** `advisory`: approvers of an approval are asked, and any key with the permission may answer, as before. */
  readonly approvers: "enforced" | "advisory";
  /** The next slots of a schedule from an instant on; as many as asked for, if there are so many. */
  readonly nextSlots: (timing: Timing, from: number, count: number) => readonly number[];
  /** Answers of all processes that serve one port; absent: this one serves alone. */
  readonly together?: (path: TogetherPath) => Promise<readonly OwnAnswer[]>;
  /** How sending spans goes, where they are sent. */
  readonly spanFigures?: () => SpanFigures;
  /** Called with unexpected errors; the answer says no more than the request id. */
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
