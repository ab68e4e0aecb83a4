import type { StepTool } from "./step-tool.ts";
import type { Action, EffectGuarantee, Priority } from "../event/index.ts";
import type { Json, JsonObject, RetryCause } from "../base/index.ts";
import type { Known, ParsedExpression } from "../expression/index.ts";
import type { ApprovalRule } from "./approval-rule.ts";
import type { ToolPattern } from "./tool-name.ts";
import type { Concurrency } from "./concurrency-shape.ts";
import type { NotifyRule } from "./notify.ts";
import type { LensTemplate, OverrideValue, StepTemplate, Value, Values } from "../template/index.ts";
import type { DependencyOutcome, Join } from "./dependency.ts";
import type { ArgField, InputContract, OutputContract, OutputField } from "./field.ts";
import type { WorkerFunction } from "./worker-function.ts";
import type { Repeat } from "./repeat-shape.ts";
import type { Work } from "./work.ts";
import type { Block, Branch } from "./block.ts";

export type { Block, Branch } from "./block.ts";
export * from "./approval-rule.ts";
export type { OverrideValue, Value, Values } from "../template/index.ts";

/** A parsed and checked version: every reference resolves, and its graph has no cycle. */
export type Definition = LobsterDefinition | LensGraphDefinition;

export type Completion = "strict" | "leaves";

/** Gateway rule of a run. `any`: if the gateway to which the run is pinned is gone, its nodes may be sent to another. */
export type GatewayRule = "pinned" | "any";

interface DefinitionHead {
  readonly name: string;
  readonly version: number | null;
  readonly description: string | null;
  readonly model: string | null;
  readonly gateway: GatewayRule;
  readonly completion: Completion;
  readonly timeoutMs: number | null;
  readonly maxParallel: number;
  /** Labels by which the runs are found. */
  readonly labels: Values;
  /** Default priority of the runs. A start or a trigger can set another. */
  readonly priority: Priority;
  /** Channels that are notified of events in the runs. */
  readonly notify: readonly NotifyRule[];
}

export interface LobsterDefinition extends DefinitionHead {
  readonly format: "lobsterx";
  readonly args: Readonly<Record<string, ArgField>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly phases: readonly Phase[];
  /** Outputs of a run. Null when they are the outputs of its last steps. */
  readonly outputs: Readonly<Record<string, RunOutput>> | null;
  /** Known type of each output, before a run has produced it. */
  readonly outputKinds: Readonly<Record<string, Known>>;
  /** Null when the number of open runs is not limited. */
  readonly concurrency: Concurrency | null;
  readonly steps: readonly Step[];
  /** Block that runs after all nodes have settled, regardless of how the run ends. Null when there is none. */
  readonly finally: Block | null;
}

export interface RunOutput {
  readonly value: Value;
  /** Null when the value is used unchanged. */
  readonly field: OutputField | null;
}

export interface Role {
  readonly description: string | null;
  readonly requiredSkills: readonly string[];
  readonly agent: string | null;
}

export interface Phase {
  readonly id: string;
  readonly name: string;
}

export const ON_FAILURE = ["halt", "skip", "retry_once", "retry", "retry_once_then_escalate"] as const;
export type OnFailure = (typeof ON_FAILURE)[number];
export { ACTIONS, EFFECT_GUARANTEES } from "../event/index.ts";
export type { Action, EffectGuarantee, Priority };

/** The kind of action of tools with this name, declared by the author. `*` matches any characters. */
export interface ToolAction {
  readonly name: string;
  readonly action: Action;
}

/** Limits of an agent's turn. Null when a limit is not set here. */
export interface TurnLimits {
  readonly maxRounds: number | null;
  readonly maxToolCalls: number | null;
  /** Maximum number of calls of one tool with the same args. */
  readonly maxRepeats: number | null;
}

export const CONTEXT_CLASSES = ["trusted", "internal", "external", "untrusted"] as const;
export type ContextClass = (typeof CONTEXT_CLASSES)[number];

export interface ContextSource {
  readonly class: ContextClass;
  readonly asOf?: string;
  readonly environment?: string;
}

export interface RetryBlock {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  readonly retryOn: readonly RetryCause[];
}

export interface WorkflowRef {
  readonly name: string;
  readonly version: number | null;
}

export interface StepInput extends Omit<OutputField, "type"> {
  readonly type: OutputField["type"] | null;
  /** Null when the value is the variable of the same name. */
  readonly from: Value | null;
}

export interface ForEach {
  readonly list: Value;
  readonly as: string;
  readonly maxItems: number;
  readonly maxParallel: number | null;
  readonly tolerate: { readonly count: number } | { readonly percent: number };
}

export interface Step {
  readonly id: string;
  readonly name: string | null;
  /** The name as a template. Null when the name has no references. */
  readonly title: StepTemplate | null;
  readonly description: string | null;
  readonly phase: string | null;
  readonly command: StepTemplate | null;
  readonly role: string | null;
  readonly agent: string | null;
  /** Steps in `depends_on` and all steps to which any field refers, each once, in code-unit order. */
  readonly dependencies: readonly string[];
  /** Dependencies that need not succeed, with the required outcome. Absent when all have to succeed. */
  readonly outcomes?: Readonly<Record<string, Exclude<DependencyOutcome, "success">>>;
  /** Absent when the step waits for all dependencies. */
  readonly join?: Join;
  readonly stdin: StepTemplate | null;
  readonly condition: ParsedExpression | null;
  readonly inputs: Readonly<Record<string, StepInput>>;
  /** Null when no outputs are declared. Then the answer is text. */
  readonly outputs: Readonly<Record<string, OutputField>> | null;
  readonly successCriteria: readonly ParsedExpression[];
  /** Null when the author set none. The default is 600 s for an agent and no limit for a child run. */
  readonly timeoutMs: number | null;
  readonly onFailure: OnFailure;
  readonly isOnFailureWritten: boolean;
  readonly retry: RetryBlock | null;
  /** Condition of a retry. Null when only the retry causes decide. */
  readonly retryIf: ParsedExpression | null;
  readonly parallelFailurePolicy: "wait_all" | "fail_fast";
  /** Null when the step has no approval. */
  readonly approval: ApprovalRule | null;
  /** Rule for all other approvals of this step, such as an escalation. Absent when the author set none. */
  readonly askRule?: ApprovalRule;
  readonly workflowRef: WorkflowRef | null;
  /** Args of the called workflow, or values of a work step, filled in when the step starts. */
  readonly with: Values;
  /** Work that is done without an agent. Null when there is none. */
  readonly work: Work | null;
  /** Steps that run instead of a command. Null when there are none. */
  readonly block: Block | null;
  /** Blocks of which the first one with a matching condition runs. Null when there are none. */
  readonly choose: readonly Branch[] | null;
  /** Set when the library entry was not available (offline check). Such a step cannot run. */
  readonly unresolvedLibraryStep: string | null;
  readonly queueTimeoutMs: number;
  readonly forEach: ForEach | null;
  readonly repeat: Repeat | null;
  readonly capabilities: readonly string[];
  /** Names of the tools that the agent may call. `*` in a name matches any characters. */
  readonly tools: readonly string[];
  /** Kinds of action of tool calls, as far as the author declared them. */
  readonly toolActions: readonly ToolAction[];
  /** The step tools among them, which the server runs. */
  readonly stepTools: readonly StepTool[];
  readonly turn: TurnLimits | null;
  /** The model, or the first of several models. */
  readonly model: string | null;
  /** All models, in the order in which they are tried. Empty when there is only `model`. */
  readonly models: readonly string[];
  readonly provider: string | null;
  readonly action: Action;
  readonly effects: EffectGuarantee;
  readonly contextSources: readonly ContextSource[];
  readonly estimatedCostMicros: number | null;
}

export interface LensGraphDefinition extends DefinitionHead {
  readonly format: "lens-graph/v1";
  readonly rootInputs: Readonly<Record<string, ArgField>>;
  /** Root inputs declared with `required: false`. When they are not set, they render as ''. */
  readonly optionalInputs: readonly string[];
  readonly nodes: readonly LensNode[];
  readonly edges: readonly LensEdge[];
  /** The `finally` block and the concurrency of the graph, as a document without other content. Absent when there are none. */
  readonly last?: LobsterDefinition;
  /** Outputs of a run, as a document whose args are the nodes' outputs. Absent when they are the outputs of the last nodes. */
  readonly results?: LobsterDefinition;
}

export const ON_PARENT_FAILURE = ["skip", "propagate", "substitute_default"] as const;
export type OnParentFailure = (typeof ON_PARENT_FAILURE)[number];
export const MERGE_STRATEGIES = ["last_write_wins", "concat", "array", "json_object"] as const;
export type MergeStrategy = (typeof MERGE_STRATEGIES)[number];
export const MODERATION_MODES = ["off", "input", "output", "both"] as const;
export type ModerationMode = (typeof MODERATION_MODES)[number];
export const EDGE_CONDITIONS = ["equals", "contains", "present", "truthy", "expression"] as const;

export interface LensNode {
  readonly id: string;
  readonly lensId: string | null;
  readonly versionId: string | null;
  readonly label: string | null;
  readonly ordinal: number | null;
  readonly modelId: string | null;
  /** Null when the author set none. The default is 60 s for a lens and no limit for a child run. */
  readonly timeoutMs: number | null;
  readonly onParentFailure: OnParentFailure;
  readonly merge: MergeStrategy;
  readonly moderation: ModerationMode;
  readonly retry: RetryBlock;
  readonly isRetryWritten: boolean;
  readonly paramOverrides: Readonly<Record<string, OverrideValue>>;
  readonly templateBody: LensTemplate | null;
  readonly workflowRef: WorkflowRef | null;
  readonly with: JsonObject;
  /** Nodes that an edge or an override reads, each once, in code-unit order. */
  readonly dependencies: readonly string[];
  /** Absent when the node waits for all dependencies. */
  readonly join?: Join;
  /** Nodes that need not complete, with the outcome required instead. Absent when all have to complete. */
  readonly outcomes?: Readonly<Record<string, Exclude<DependencyOutcome, "success">>>;
  /** Absent when the node runs once. */
  readonly repeat?: Repeat;
  /** Work of the node in the form of a step, as a document with this single step. Absent when there is none. */
  readonly inside?: LobsterDefinition;
}

export type EdgeCondition =
  | { readonly type: "equals" | "contains"; readonly value: Json }
  | { readonly type: "present" | "truthy" }
  | { readonly type: "expression"; readonly expression: ParsedExpression };

export interface LensEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly sourceOutputKey: string;
  readonly targetParamLabel: string;
  readonly mergeStrategy: MergeStrategy | null;
  readonly condition: EdgeCondition | null;
  /** Required outcome of the source. Absent when the source must complete. */
  readonly on?: Exclude<DependencyOutcome, "success">;
}

export interface LensVersion {
  readonly id: string;
  readonly templateBody: LensTemplate;
  readonly inputContract: InputContract | null;
  readonly outputContract: OutputContract | null;
  readonly requiredTools: readonly string[];
  readonly requiredTier: "basic" | "standard" | "advanced" | null;
  readonly roleTag: string | null;
}

export interface Lens {
  readonly id: string;
  /** Versions, oldest first. A node without `version_id` uses the last one. */
  readonly versions: readonly LensVersion[];
}

/** Objects outside its own file to which a definition may refer. They are pinned when the run is created. */
export interface Catalog {
  /** Step fields by library name, unparsed. Null when no library is available (offline check). */
  readonly library: Readonly<Record<string, JsonObject>> | null;
  /** Null when no lens registry is available. */
  readonly lenses: Readonly<Record<string, Lens>> | null;
  /** Names of existing workflows. Null when unknown. */
  readonly workflows: readonly string[] | null;
  /** Names of existing channels. Absent or null when unknown. */
  readonly channels?: readonly string[] | null;
  /** Tools whose manifest declares the kind of action of a call. Absent or null when unknown. */
  readonly tools?: readonly ToolPattern[] | null;
  /** Registered functions of workers, among those the definition names. Absent or null when unknown. */
  readonly functions?: Readonly<Record<string, WorkerFunction>> | null;
}
