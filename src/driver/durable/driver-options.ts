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

/** The secrets that go with a dispatch; undefined: it needs none, and leaves at once. */
export type HandSecrets = (
  place: {
    readonly orgId: string;
    readonly gatewayId: string;
    readonly provider: string;
    readonly workflow: string;
  },
  request: () => AdapterRequest,
) => Promise<readonly HandedSecret[]> | undefined;

/** Until the signal ends the attempt, its files wait for a database that is away. */
export type OpenRunFiles = (orgId: string, runId: string, signal: AbortSignal) => AdapterFiles;

export interface DurableDriverOptions {
  readonly store: Store;
  readonly adapters: readonly Adapter[];
  readonly judge: Judge;
  readonly clock: Clock;
  /** Milliseconds that only ever grow. */
  readonly monotonic: () => number;
  /** A number in [0, 1) for each input; default: by chance. */
  readonly jitter?: () => number;
  /** Of this process, where it has several drivers; default: one of its own. */
  readonly replicaId?: string;
  /** Whether another driver of this process has begun a dispatch, and has not seen its end. */
  readonly isOpenElsewhere?: (dispatchId: string) => boolean;
  /** Takes the inputs of a run that is not here; false: it is nowhere. */
  readonly onGone?: (runId: string, waiting: readonly Waiting[]) => boolean;
  readonly isUnavailable: (error: unknown) => boolean;
  /** True where this process is the only one that can be: an embedded directory. */
  readonly supersedesAll: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
  /** A run hit a bug and is about to be ended; default: reported as trouble. */
  readonly onStruck?: (runId: string, error: unknown) => void;
  /** What must not leave the adapters of this process. */
  readonly redactor?: Redactor;
  /** Seals what turns of agents are continued from; without it that is kept as it is. */
  readonly box?: TextBox;
  /** Whether texts may pass; by the rules that stand by default unless this says otherwise. */
  readonly moderation?: NodeModeration;
  /** Runs an organisation may have open, null: any number; `LIMITS.openRunsMax` by default. */
  readonly maxOpenRuns?: (orgId: string) => number | null;
  /** How long attempts in this process may take to end once it is stopped; default: 5,000. */
  readonly drainMs?: number;
  /** How child runs are started; without it none is. */
  readonly children?: () => ChildPreparer;
  /** What is asked of plans beyond their texts, always the same: how many nodes at once, how long. */
  readonly shapePlan?: (plan: Plan) => Plan;
  /** Plans of drivers before this one, whose texts have the same hashes; absent: none are shared. */
  readonly knownPlans?: KnownPlans;
  /** What events start besides the nodes that wait for them; none when absent. */
  readonly onEvent?: EventSubscriber;
  /** How attempts go to Bridges elsewhere; without it everything runs here. */
  readonly remote?: RemoteOptions;
  /** The files of a run, for adapters of this process; without it they get none. */
  readonly files?: OpenRunFiles;
  /** Where functions wait for workers; without it none is ever sent to any. */
  readonly functions?: FunctionWork;
  /** Looks up registered secrets right before a dispatch leaves; without it none goes along. */
  readonly secrets?: HandSecrets;
}
