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

/** A parsed and checked version: every reference in it resolves, its graph has no cycle. */
export type Definition = LobsterDefinition | LensGraphDefinition;

export type Completion = "strict" | "leaves";

/** `any`: when the gateway a run is pinned to is gone, its nodes may go to another. */
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
  /** By which its runs are found. */
  readonly labels: Values;
  /** Of its runs, unless a start or a trigger says. */
  readonly priority: Priority;
  /** Which channels are used for what happens in its runs. */
  readonly notify: readonly NotifyRule[];
}

export interface LobsterDefinition extends DefinitionHead {
  readonly format: "lobsterx";
  readonly args: Readonly<Record<string, ArgField>>;
  readonly roles: Readonly<Record<string, Role>>;
  readonly phases: readonly Phase[];
  /** What a run has to show for itself; null: the outputs of its last steps. */
  readonly outputs: Readonly<Record<string, RunOutput>> | null;
  /** What is known of each of these before there is one. */
  readonly outputKinds: Readonly<Record<string, Known>>;
  /** Null: any number of its runs may be open. */
  readonly concurrency: Concurrency | null;
  readonly steps: readonly Step[];
  /** Runs after everything has settled, however the run ends; null: nothing does. */
  readonly finally: Block | null;
}

export interface RunOutput {
  readonly value: Value;
  /** Null: it is taken as it is. */
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

/** What an author says a call of the tools with this name is; `*` stands for any characters. */
export interface ToolAction {
  readonly name: string;
  readonly action: Action;
}

/** How far the turn of an agent may go; null: not said here. */
export interface TurnLimits {
  readonly maxRounds: number | null;
  readonly maxToolCalls: number | null;
  /** Calls of one tool with the same args. */
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
  /** Total calls, the first included. */
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
  /** Null: the variable of the same name. */
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
  /** The name with its references; null: it has none. */
  readonly title: StepTemplate | null;
  readonly description: string | null;
  readonly phase: string | null;
  readonly command: StepTemplate | null;
  readonly role: string | null;
  readonly agent: string | null;
  /** `depends_on` and every step any field refers to, each once, in code-unit order. */
  readonly dependencies: readonly string[];
  /** Of those, the ones that need not succeed; absent: all have to. */
  readonly outcomes?: Readonly<Record<string, Exclude<DependencyOutcome, "success">>>;
  /** Absent: all dependencies are waited for. */
  readonly join?: Join;
  readonly stdin: StepTemplate | null;
  readonly condition: ParsedExpression | null;
  readonly inputs: Readonly<Record<string, StepInput>>;
  /** Null: nothing declared, the answer is text. */
  readonly outputs: Readonly<Record<string, OutputField>> | null;
  readonly successCriteria: readonly ParsedExpression[];
  /** Null: none was written (600 s for an agent, no limit for a child run). */
  readonly timeoutMs: number | null;
  readonly onFailure: OnFailure;
  readonly isOnFailureWritten: boolean;
  readonly retry: RetryBlock | null;
  /** Whether a failure is tried again at all; null: the causes alone say so. */
  readonly retryIf: ParsedExpression | null;
  readonly parallelFailurePolicy: "wait_all" | "fail_fast";
  /** Null: no human gate. */
  readonly approval: ApprovalRule | null;
  /** Who answers any other approval about this step (an escalation); absent when the author did not say. */
  readonly askRule?: ApprovalRule;
  readonly workflowRef: WorkflowRef | null;
  /** Args of the other workflow; of a work, what is filled in when its turn has come. */
  readonly with: Values;
  /** Work that is done without an agent; null: none. */
  readonly work: Work | null;
  /** Steps in place of a command; null: none. */
  readonly block: Block | null;
  /** Blocks of which the first that fits is run; null: none. */
  readonly choose: readonly Branch[] | null;
  /** Set when the entry was not available (offline check); such a step cannot run. */
  readonly unresolvedLibraryStep: string | null;
  readonly queueTimeoutMs: number;
  readonly forEach: ForEach | null;
  readonly repeat: Repeat | null;
  readonly capabilities: readonly string[];
  /** Names of the tools its agent may call; `*` in one stands for any characters. */
  readonly tools: readonly string[];
  /** What kind of act a call is, where the author says so. */
  readonly toolActions: readonly ToolAction[];
  /** Those of them that the server runs. */
  readonly stepTools: readonly StepTool[];
  readonly turn: TurnLimits | null;
  /** The first of several. */
  readonly model: string | null;
  /** All of several, in the order they are asked; none: `model` alone. */
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
  /** Root inputs the author wrote `required: false` for: unset, they render as ''. */
  readonly optionalInputs: readonly string[];
  readonly nodes: readonly LensNode[];
  readonly edges: readonly LensEdge[];
  /** What comes last and what limits its runs, as a document that has nothing else; absent: nothing. */
  readonly last?: LobsterDefinition;
  /** What a run gives, as a document whose args are what the nodes return; absent: what the last nodes return. */
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
  /** Null: none was written (60 s for a lens, no limit for a child run). */
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
  /** Nodes an edge or an override reads, each once, in code-unit order. */
  readonly dependencies: readonly string[];
  /** Absent: all dependencies are waited for. */
  readonly join?: Join;
  /** Nodes that need not complete, and how they must have ended instead; absent: all must complete. */
  readonly outcomes?: Readonly<Record<string, Exclude<DependencyOutcome, "success">>>;
  /** Absent: it runs once. */
  readonly repeat?: Repeat;
  /** What it does as a step does, as a document whose only step does it; absent: nothing. */
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
  /** How the source must have ended; absent: it must have completed. */
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
  /** Oldest first; a node without `version_id` gets the last. */
  readonly versions: readonly LensVersion[];
}

/** What a definition may refer to outside its own file, pinned when the run is created. */
export interface Catalog {
  /** Raw step fields by library name; null when no library is available (offline check). */
  readonly library: Readonly<Record<string, JsonObject>> | null;
  /** Null when no lens registry is available. */
  readonly lenses: Readonly<Record<string, Lens>> | null;
  /** Names of workflows that exist; null when unknown. */
  readonly workflows: readonly string[] | null;
  /** Names of channels that exist; absent or null when unknown. */
  readonly channels?: readonly string[] | null;
  /** Tools of which a manifest says what kind of act a call is; absent or null when unknown. */
  readonly tools?: readonly ToolPattern[] | null;
  /** Functions of workers that are registered, of those that are named; absent or null when unknown. */
  readonly functions?: Readonly<Record<string, WorkerFunction>> | null;
}
