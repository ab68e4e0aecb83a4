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

/** The agent for steps that name no other agent. Every organisation has it. */
export const DEFAULT_AGENT_ID = "default";

/** The compiled graph that the engine runs. Nodes are in plan order: by wave, then by code unit of id. */
export interface Plan {
  readonly name: string;
  readonly format: "lobsterx" | "lens-graph";
  readonly completion: Completion;
  readonly model: string | null;
  readonly gateway: GatewayRule;
  readonly timeoutMs: number | null;
  readonly maxParallel: number;
  /** Labels for finding runs, evaluated when a run starts. */
  readonly labels: Values;
  readonly priority: Priority;
  readonly args: Readonly<Record<string, ArgField>>;
  /** Outputs of a run as the document names them. Null when the outputs of the leaves are used. */
  readonly outputs: RunOutputs | null;
  /** Null when any number of its runs may be open. */
  readonly concurrency: (Concurrency & { readonly scope: Scope }) | null;
  /** The agent that the document binds to each role, if any. Bindings of a run and of a deployment take precedence. */
  readonly agentByRole: Readonly<Record<string, string | null>>;
  /**
   * Plans of the blocks of the file, by path: `id`, `id.0` for a branch, `id/inner` for a block inside a block, `finally`.
   * Only the plan of the file itself holds them.
   */
  readonly blocks: ReadonlyMap<string, Plan>;
  /** The block to run after everything has settled. Null when there is none. */
  readonly finally: FinallyCall | null;
  readonly nodes: readonly PlanNode[];
  readonly indexById: ReadonlyMap<string, number>;
  readonly edgeCount: number;
}

export interface RunOutputs {
  /** Every path that the values read. All nodes are visible. */
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
  /** The label as a template, for people who are asked about the node. Null when the node has none. */
  readonly title: StepTemplate | null;
  readonly kind: NodeKind;
  readonly phase: string | null;
  /** Longest path from a root; for display and order only, never a barrier. */
  readonly wave: number;
  /** Indices without duplicates. Dependents are in code-unit order of id. */
  readonly parents: readonly number[];
  readonly dependents: readonly number[];
  /** Parents that need not succeed, with the outcome required instead. All other parents must complete. */
  readonly outcomes: ReadonlyMap<number, Exclude<DependencyOutcome, "success">>;
  /** Number of parents that are sufficient. Null when the node waits for all. */
  readonly join: Join | null;
  /** Dependents that may run after this node has failed: its handlers, and nodes that do not need its success. */
  readonly tolerantDependents: readonly number[];
  /** Whether one of the tolerant dependents may handle the failure. The other dependents of the node are then skipped. */
  readonly hasFailureHandler: boolean;
  /** Per attempt. Null when there is no limit (child runs, gates). */
  readonly timeoutMs: number | null;
  readonly queueTimeoutMs: number;
  readonly retry: RetryPolicy;
  /** Effect of a failure after the last retry. Lens nodes isolate. */
  readonly onFailure: "halt" | "skip" | "escalate" | "isolate";
  readonly isFailFast: boolean;
  readonly effects: EffectGuarantee;
  readonly approval: ApprovalRule | null;
  /** Rule for any other approval about the node, such as an escalation. Null when the author set none. */
  readonly askRule: ApprovalRule | null;
  readonly child: ChildCall | null;
  /** Branches; the first that matches is run as a child. Null when the node has none. */
  readonly choose: readonly BranchPlan[] | null;
  /** Work that needs no agent. Its values are in the `with` of the body. */
  readonly work: Work | null;
  readonly forEach: ForEachPlan | null;
  readonly repeat: Repeat | null;
  readonly request: RequestHints;
  readonly body: StepBody | LensBody;
  /** Whether the author wrote these fields: policies of a team apply only to fields that are not written. */
  readonly isRetryWritten: boolean;
  readonly isOnFailureWritten: boolean;
  /** Null when there is no team, or when the author named an agent. */
  readonly duty: Duty | null;
}

/** The members of a team that may take a node. */
export interface Duty {
  readonly team: string;
  /** The first takes the node, the next ones after a failure of those before. When empty, the node waits for a person to name an agent. */
  readonly candidates: readonly Candidate[];
  /** All members, with the reasons for or against each. */
  readonly considered: readonly {
    readonly agent: string;
    readonly isEligible: boolean;
    readonly reasons: readonly string[];
  }[];
  /** Tools that the node needs and the team forbids, even for an agent that a person names. */
  readonly toolBans: ToolBans;
}

export interface ToolBans {
  /** By agent of a member. */
  readonly byAgent: Readonly<Record<string, readonly string[]>>;
  /** For any other agent: the tools that no member may use. */
  readonly others: readonly string[];
}

export interface Candidate {
  readonly agent: string;
  /** A lane runs one node at a time. Null when nodes may run in parallel. */
  readonly lane: number | null;
  readonly reasons: readonly string[];
  readonly allowedTools: readonly string[];
  readonly promptPatch: string | null;
}

export interface RetryPolicy {
  /** Adapter calls in total, 1 = no retry. */
  readonly attempts: number;
  /** `any` means every retryable cause. */
  readonly causes: readonly RetryCause[] | "any";
  readonly delay:
    | { readonly kind: "exact"; readonly delaysMs: readonly number[] }
    | { readonly kind: "backoff"; readonly baseMs: number; readonly maxMs: number };
  /** Condition that reads the failure as `error`. Null when only the causes decide. */
  readonly condition?: ParsedExpression | null;
}

/** Another workflow, or a block of this file by its path. */
export type ChildCall = { readonly workflow: WorkflowRef } | { readonly block: string };

export interface BranchPlan {
  readonly name: string;
  /** Null for the branch taken when no other matches. */
  readonly when: ParsedExpression | null;
  readonly block: string;
  /** Args of the block. */
  readonly with: Values;
}

export interface FinallyCall {
  readonly block: string;
  /** Every path that the values read. All nodes are visible. */
  readonly scope: Scope;
  readonly with: Values;
}

export interface ForEachPlan {
  readonly list: Reference;
  readonly as: string;
  readonly maxItems: number;
  readonly maxParallel: number | null;
  readonly tolerate: { readonly count: number } | { readonly percent: number };
  /** A condition that reads the element, evaluated per instance. Null when the condition of the node, if any, applies. */
  readonly condition: ParsedExpression | null;
}

/** Properties of the work for routing, gates and the Bridge. */
export interface RequestHints {
  readonly agent: string | null;
  readonly role: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly capabilities: readonly string[];
  readonly models: readonly string[];
  /** Names of tools; `*` matches any characters. */
  readonly tools: readonly string[];
  readonly toolActions: readonly ToolAction[];
  /** Tools that the server runs. Absent when there are none. */
  readonly stepTools?: readonly StepTool[];
  readonly turn: TurnLimits | null;
  readonly action: Action;
  readonly contextSources: readonly ContextSource[];
  readonly estimatedCostMicros: number | null;
}

/** The resolved meaning of a path. It is decided when the plan is compiled; no name is looked up at run time. */
export type Origin =
  | {
      readonly kind: "arg";
      readonly name: string;
      /** The arg holds the result of a step around the block. When the arg is absent, that step was skipped. */
      readonly isStep?: true;
      /** The value may be null, as may everything in it: the round before the first, or the error of a run that did not fail. */
      readonly isNullable?: true;
    }
  | {
      readonly kind: "node";
      readonly node: number;
      readonly part: "outputs" | "stdout" | "json" | "approved" | "error";
    }
  | { readonly kind: "element" }
  | { readonly kind: "index" }
  /** The result of the previous round, and the number of this one; the first is 0. */
  | { readonly kind: "previous"; readonly part: "outputs" | "stdout" | "json" }
  | { readonly kind: "round" }
  /** `outputs.*` of the node itself, in success criteria and in the condition of a repeated step. */
  | { readonly kind: "self" }
  /** Facts of the run (`run.id`, `run.started_at`, `run.workflow`, `run.args`) and of the node (`node.attempt`). */
  | { readonly kind: "run" }
  | { readonly kind: "attempt" }
  /** An input of the node itself that is a value and not a reference. */
  | { readonly kind: "value"; readonly value: Value }
  /** The failure for which a retry is decided. */
  | { readonly kind: "error" }
  /** The name means nothing that this node may read. */
  | { readonly kind: "missing" };

export interface Reference {
  readonly text: string;
  readonly origin: Origin;
  /** Path from the origin; only own properties are followed. */
  readonly rest: readonly (string | number)[];
  /** Marks an input that is not required: it renders as '' when no value was found. */
  readonly isOptional?: true;
}

/** Resolved paths of one node, by `Path.text`. */
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
  /** Args of a child run; for work, the values evaluated when the node starts. */
  readonly with: Values;
}

export interface InputBinding {
  readonly name: string;
  readonly from: Reference;
  /** Constraints on the bound value. Null when the author wrote only a source. */
  readonly field: OutputField | null;
  /** When false, a missing value omits the input instead of failing the node. */
  readonly isRequired: boolean;
}
