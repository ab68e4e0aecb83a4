import type { RetryCause } from "../base/index.ts";
import type {
  Action,
  ApprovalRule,
  ArgField,
  Completion,
  Concurrency,
  ContextSource,
  DependencyOutcome,
  EffectGuarantee,
  GatewayRule,
  Join,
  OutputField,
  Repeat,
  StepTool,
  ToolAction,
  TurnLimits,
  Work,
  Value,
  Values,
  WorkflowRef,
  Priority,
} from "../definition/index.ts";
import type { LensBody } from "./lens-body.ts";
import type { ParsedExpression } from "../expression/index.ts";
import type { StepTemplate } from "../template/index.ts";

export type * from "./lens-body.ts";

/** Works on steps that name no other agent; every organisation has it. */
export const DEFAULT_AGENT_ID = "default";

/** The compiled graph the engine runs. Nodes stand in plan order: wave, then code unit of id. */
export interface Plan {
  readonly name: string;
  readonly format: "lobsterx" | "lens-graph";
  readonly completion: Completion;
  readonly model: string | null;
  readonly gateway: GatewayRule;
  readonly timeoutMs: number | null;
  readonly maxParallel: number;
  /** By which runs are found; evaluated when one starts. */
  readonly labels: Values;
  readonly priority: Priority;
  readonly args: Readonly<Record<string, ArgField>>;
  /** What a run has to show for itself; null: the outputs of its leaves. */
  readonly outputs: RunOutputs | null;
  /** Null: any number of its runs may be open. */
  readonly concurrency: (Concurrency & { readonly scope: Scope }) | null;
  /** The agent the document binds each role to, if any; a run's and a deployment's bindings come first. */
  readonly agentByRole: Readonly<Record<string, string | null>>;
  /**
   * Plans of the blocks of the file, by path: `id`, `id.0` for a branch, `id/inner` for a block inside a block, `finally`.
   * Only the plan of the file itself holds them.
   */
  readonly blocks: ReadonlyMap<string, Plan>;
  /** What is run after everything has settled; null: nothing. */
  readonly finally: FinallyCall | null;
  readonly nodes: readonly PlanNode[];
  readonly indexById: ReadonlyMap<string, number>;
  readonly edgeCount: number;
}

export interface RunOutputs {
  /** Every path the values read; all nodes are seen. */
  readonly scope: Scope;
  readonly fields: readonly { readonly name: string; readonly value: Value; readonly field: OutputField | null }[];
}

export const NODE_KINDS = [
  "agent",
  "gate",
  "child",
  "lens",
  "utility",
  "set",
  "script",
  "function",
  "end",
  "wait",
  "emit",
  "block",
  "choose",
] as const;
export type NodeKind = (typeof NODE_KINDS)[number];

export interface PlanNode {
  readonly index: number;
  readonly id: string;
  readonly label: string;
  /** The label with its references, for people who are asked about the node; null: it has none. */
  readonly title: StepTemplate | null;
  readonly kind: NodeKind;
  readonly phase: string | null;
  /** Longest path from a root; for display and order only, never a barrier. */
  readonly wave: number;
  /** Indices, each once; dependents in code-unit order of id. */
  readonly parents: readonly number[];
  readonly dependents: readonly number[];
  /** Parents that need not succeed, and how they must have ended instead; the others have to complete. */
  readonly outcomes: ReadonlyMap<number, Exclude<DependencyOutcome, "success">>;
  /** So many parents are enough; null: all are waited for. */
  readonly join: Join | null;
  /** Dependents that may run although this node has failed: its handlers, and those that do without it. */
  readonly tolerants: readonly number[];
  /** One of those may make up for the failure; the rest of what depends on the node is then skipped. */
  readonly isCaught: boolean;
  /** Per attempt; null: no limit (child runs, gates). */
  readonly timeoutMs: number | null;
  readonly queueTimeoutMs: number;
  readonly retry: RetryPolicy;
  /** What happens once the retry policy has given up. Lens nodes isolate. */
  readonly onFailure: "halt" | "skip" | "escalate" | "isolate";
  readonly isFailFast: boolean;
  readonly effects: EffectGuarantee;
  readonly approval: ApprovalRule | null;
  /** Who answers any other approval about the node, such as an escalation; null: the author did not say. */
  readonly askRule: ApprovalRule | null;
  readonly child: ChildCall | null;
  /** Branches of which the first that fits is run, as a child; null: it has none. */
  readonly choose: readonly BranchPlan[] | null;
  /** Work that is done without an agent; what is filled in there stands in the body's `with`. */
  readonly work: Work | null;
  readonly forEach: ForEachPlan | null;
  readonly repeat: Repeat | null;
  readonly request: RequestHints;
  readonly body: StepBody | LensBody;
  /** Whether the author wrote them: what a team says holds only where nothing is written. */
  readonly isRetryWritten: boolean;
  readonly isOnFailureWritten: boolean;
  /** Null: no team, or an agent the author named. */
  readonly duty: Duty | null;
}

/** Who of a team takes a node. */
export interface Duty {
  readonly team: string;
  /** The first takes it, the others when those before them have failed; none: it waits for a person to name one. */
  readonly candidates: readonly Candidate[];
  /** All members, with what spoke for or against each. */
  readonly considered: readonly {
    readonly agent: string;
    readonly isEligible: boolean;
    readonly reasons: readonly string[];
  }[];
  /** Tools the node needs and the team does not let be used, whichever agent is named by hand. */
  readonly toolBans: ToolBans;
}

export interface ToolBans {
  /** Of the members. */
  readonly byAgent: Readonly<Record<string, readonly string[]>>;
  /** Of any other agent: what no member may use. */
  readonly others: readonly string[];
}

export interface Candidate {
  readonly agent: string;
  /** One node at a time; null: as many as there are. */
  readonly lane: number | null;
  readonly reasons: readonly string[];
  readonly allowedTools: readonly string[];
  readonly promptPatch: string | null;
}

export interface RetryPolicy {
  /** Adapter calls in all, 1 = no retry. */
  readonly attempts: number;
  /** `any`: every retryable cause. */
  readonly causes: readonly RetryCause[] | "any";
  readonly delay:
    | { readonly kind: "exact"; readonly delaysMs: readonly number[] }
    | { readonly kind: "backoff"; readonly baseMs: number; readonly maxMs: number };
  /** Sees the failure as `error`; null: the causes alone count. */
  readonly condition?: ParsedExpression | null;
}

/** Another workflow, or a block of this file by its path. */
export type ChildCall = { readonly workflow: WorkflowRef } | { readonly block: string };

export interface BranchPlan {
  readonly name: string;
  /** Null: it is taken when no other is. */
  readonly when: ParsedExpression | null;
  readonly block: string;
  /** Args of its block. */
  readonly with: Values;
}

export interface FinallyCall {
  readonly block: string;
  /** Every path the values read; all nodes are seen. */
  readonly scope: Scope;
  readonly with: Values;
}

export interface ForEachPlan {
  readonly list: Reference;
  readonly as: string;
  readonly maxItems: number;
  readonly maxParallel: number | null;
  readonly tolerate: { readonly count: number } | { readonly percent: number };
  /** The condition when it reads the element: it is judged for each instance. Null: the node's own, if any, counts. */
  readonly condition: ParsedExpression | null;
}

/** What routing, gates and the Bridge know about the work. */
export interface RequestHints {
  readonly agent: string | null;
  readonly role: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly capabilities: readonly string[];
  readonly models: readonly string[];
  /** Names, in which `*` stands for any characters. */
  readonly tools: readonly string[];
  readonly toolActions: readonly ToolAction[];
  /** Tools that the server runs; absent: none. */
  readonly stepTools?: readonly StepTool[];
  readonly turn: TurnLimits | null;
  readonly action: Action;
  readonly contextSources: readonly ContextSource[];
  readonly estimatedCostMicros: number | null;
}

/** What a path means, decided when the plan is made; no name is looked up while running. */
export type Origin =
  | {
      readonly kind: "arg";
      readonly name: string;
      /** It stands for what a step around the block returned; absent then: that step was skipped. */
      readonly isStep?: true;
      /** What it stands for may be null, and all that is in it is null then: the round before the first, the error of a run that did not fail. */
      readonly isNullable?: true;
    }
  | {
      readonly kind: "node";
      readonly node: number;
      readonly part: "outputs" | "stdout" | "json" | "approved" | "error";
    }
  | { readonly kind: "element" }
  | { readonly kind: "index" }
  /** What the round before has left, and the number of this one; the first is 0. */
  | { readonly kind: "previous"; readonly part: "outputs" | "stdout" | "json" }
  | { readonly kind: "round" }
  /** `outputs.*` of the node itself, in success criteria and in the condition of a repeated step. */
  | { readonly kind: "self" }
  /** Facts of the run (`run.id`, `run.started_at`, `run.workflow`, `run.args`) and of the node (`node.attempt`). */
  | { readonly kind: "run" }
  | { readonly kind: "attempt" }
  /** An input of the node itself that is a value and not a reference. */
  | { readonly kind: "value"; readonly value: Value }
  /** The failure a retry is decided about. */
  | { readonly kind: "error" }
  /** Nothing this node may see has that name. */
  | { readonly kind: "missing" };

export interface Reference {
  readonly text: string;
  readonly origin: Origin;
  /** Walked from the origin, own properties only. */
  readonly rest: readonly (string | number)[];
  /** An input that need not be there: it renders as '' when nothing was found. */
  readonly isOptional?: true;
}

/** Paths of one node resolved once: key = `Path.text`. */
export type Scope = ReadonlyMap<string, Reference>;

export interface StepBody {
  readonly kind: "step";
  readonly scope: Scope;
  readonly condition: ParsedExpression | null;
  readonly command: StepTemplate | null;
  readonly stdin: StepTemplate | null;
  readonly inputs: readonly InputBinding[];
  readonly outputs: Readonly<Record<string, OutputField>> | null;
  readonly criteria: readonly ParsedExpression[];
  /** Args of a child run; of a work, what is filled in when its turn has come. */
  readonly with: Values;
}

export interface InputBinding {
  readonly name: string;
  readonly from: Reference;
  /** Constraints the bound value must satisfy; null when only a source was written. */
  readonly field: OutputField | null;
  /** False: a missing value leaves the input out instead of failing the node. */
  readonly isRequired: boolean;
}
