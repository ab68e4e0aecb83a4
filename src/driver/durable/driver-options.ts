import type { Adapter, AdapterFiles, AdapterRequest, HandedSecret } from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Redactor } from "../../core/redaction/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { NodeModeration } from "../moderation/index.ts";
import type { Store } from "../../store/index.ts";
import type { Judge } from "../../governance/index.ts";
import type { ChildPreparer } from "./children.ts";
import type { FunctionWork } from "./function-attempts.ts";
import type { EventSubscriber } from "./event-matcher.ts";
import type { Waiting } from "./input-queue.ts";
import type { RemoteOptions } from "./remote-attempts.ts";
import type { TextBox } from "./turn-seal.ts";
import type { KnownPlans } from "./plan-cache.ts";

/** Returns the query for the secrets to send with a dispatch. Undefined when it needs none and is sent at once. */
export type HandSecrets = (
  place: {
    readonly orgId: string;
    readonly gatewayId: string;
    readonly provider: string;
    readonly workflow: string;
  },
  request: () => AdapterRequest,
) => (() => Promise<readonly HandedSecret[]>) | undefined;

/** While the database is unavailable, file operations wait until the signal ends the attempt. */
export type OpenRunFiles = (orgId: string, runId: string, signal: AbortSignal) => AdapterFiles;

export interface DurableDriverOptions {
  readonly store: Store;
  readonly adapters: readonly Adapter[];
  readonly judge: Judge;
  readonly clock: Clock;
  /** Monotonic clock in milliseconds. */
  readonly monotonic: () => number;
  /** Returns a number in [0, 1) for each input. Default: random. */
  readonly jitter?: () => number;
  /** Replica id of this process, when it has several drivers. Default: an id of its own. */
  readonly replicaId?: string;
  /** Returns whether another driver of this process has started a dispatch and not seen its end. */
  readonly isOpenElsewhere?: (dispatchId: string) => boolean;
  /** Takes the inputs of a run that is not in this cell. Returns false when the run exists in no cell. */
  readonly onGone?: (runId: string, waiting: readonly Waiting[]) => boolean;
  readonly isUnavailable: (error: unknown) => boolean;
  /** True when this process is the only one that can exist, as with an embedded directory. */
  readonly supersedesAll: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** Called when a run hit a bug and is about to be ended. Default: reported as trouble. */
  readonly onBug?: (runId: string, error: unknown) => void;
  /** Removes secrets from the reports of adapters in this process. */
  readonly redactor?: Redactor;
  /** Encrypts the data from which turns of agents continue. Without it, that data is stored unencrypted. */
  readonly box?: TextBox;
  /** Decides whether texts may pass. Default: the default rules. */
  readonly moderation?: NodeModeration;
  /** Maximum number of open runs of an organisation, null for no limit. Default: `LIMITS.openRunsMax`. */
  readonly maxOpenRuns?: (orgId: string) => number | null;
  /** Milliseconds that attempts in this process may take to end after a stop. Default: 5,000. */
  readonly drainMs?: number;
  /** Prepares child runs. Without it, no child run is started. */
  readonly children?: () => ChildPreparer;
  /** Applies constant settings to every plan beyond its text, such as limits of parallel nodes and of time. */
  readonly shapePlan?: (plan: Plan) => Plan;
  /** Plans of earlier drivers whose texts have the same hashes. Absent when none are shared. */
  readonly knownPlans?: KnownPlans;
  /** Subscriber that starts work for events besides the nodes that wait for them. Absent when there is none. */
  readonly onEvent?: EventSubscriber;
  /** Options for attempts at remote Bridges. Without it, every attempt runs in this process. */
  readonly remote?: RemoteOptions;
  /** Opens the files of a run for adapters of this process. Without it, adapters get no files. */
  readonly files?: OpenRunFiles;
  /** Offers functions to workers. Without it, no function is sent to a worker. */
  readonly functions?: FunctionWork;
  /** Looks up registered secrets right before a dispatch is sent. Without it, no secrets are sent. */
  readonly secrets?: HandSecrets;
}
