/** Options of steps, under the names they have in files. */
import type { Condition } from "./operator.ts";
import type { Operand, Ref, Reference } from "./reference.ts";
import type { Schema } from "./schema.ts";

/** A text; references in a template literal are filled in when the step runs. */
export type Text = string | Reference<unknown>;
/** A number of seconds, or a text such as `5m`. */
export type Duration = number | string;
export type Action = "read" | "execute" | "write" | "financial";

/** Error of a failed step. */
export interface StepFailure {
  code: string;
  message: string;
  attempts: number;
  class: string;
}

/** The parts of every step that can be read, besides the fields of its outputs. */
export interface StepParts<Outputs> {
  readonly outputs: Ref<Outputs>;
  /** The answer of the step as text. */
  readonly stdout: Ref<string>;
  /** The answer of the step, when it is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what is not declared is not known
  readonly json: Ref<any>;
  readonly approved: Ref<boolean>;
  /** The error of the step, for steps that run after its failure and for the outputs of the workflow. */
  readonly error: Ref<StepFailure>;
}

/** A step of the workflow. Its outputs are read as fields, and other steps can depend on it. */
export type StepRef<Outputs> = Reference<Outputs> & Omit<Ref<Outputs>, keyof StepParts<unknown>> & StepParts<Outputs>;

// oxlint-disable-next-line typescript/no-explicit-any -- a step with whatever outputs
export type AnyStep = Reference<any> & { readonly outputs: Reference<any> };

export type Dependency = AnyStep | { readonly step: AnyStep; readonly on: "success" | "failure" | "settled" };

export interface Retry {
  readonly attempts?: number;
  readonly backoff_ms?: number;
  readonly max_backoff_ms?: number;
  readonly retry_on?: readonly ("timeout" | "provider_error" | "rate_limit" | "contract_violation" | "any")[];
}

export interface FailureRule {
  readonly retry?: Retry & { readonly if?: Condition | ((error: Ref<StepFailure>) => Condition) };
  readonly then?: "halt" | "skip" | "escalate";
}

export type OnFailure = "halt" | "skip" | "retry_once" | "retry" | "retry_once_then_escalate";

export type ShownItem =
  | Text
  | ({ readonly label?: string } & (
      | { readonly [Kind in "value" | "text" | "markdown" | "table" | "image" | "file"]?: Text }
      | { readonly diff: readonly [Text, Text] }
    ));

export interface ApprovalOptions {
  readonly approvers?: readonly (string | { readonly who: string; readonly within?: Duration })[];
  readonly quorum?: number;
  readonly four_eyes?: boolean;
  readonly confirm?: "sign_in";
  readonly show?: ShownItem | readonly ShownItem[];
  readonly otherwise?: "reject" | "approve" | "escalate" | "fail";
  readonly expires?: Duration;
  readonly separate_approver?: boolean;
}

/** Options of every step. */
export interface StepOptions extends ApprovalOptions {
  readonly name?: Text;
  readonly description?: string;
  readonly phase?: string;
  readonly depends_on?: readonly Dependency[];
  readonly join?: "all" | "any" | number;
  readonly race?: boolean;
  readonly when?: Condition;
  /** Same as `when`. */
  readonly condition?: Condition;
  readonly approval?: "required";
  readonly on_failure?: OnFailure | FailureRule;
  readonly parallel_failure_policy?: "wait_all" | "fail_fast";
  readonly library_step?: string;
  readonly allow_secret_literals?: boolean;
}

/** Options of a step that makes attempts, and can be retried. */
export interface AttemptOptions extends StepOptions {
  readonly timeout?: Duration;
  readonly retry?: Retry;
}

export type Tool =
  | string
  | { readonly name: string; readonly action: Action }
  | {
      readonly name: string;
      readonly script: string;
      readonly action?: Action;
      readonly description?: string;
      readonly parameters?: Schema<object, object>;
    };

export interface RequestOptions<S extends Schema, I> extends AttemptOptions {
  readonly inputs?: I;
  readonly outputs?: S;
  readonly success_criteria?: readonly Condition[] | ((outputs: Ref<CriteriaOf<S>>) => readonly Condition[]);
  readonly stdin?: Text;
  readonly role?: string;
  readonly agent?: string;
  readonly queue_timeout?: Duration;
  readonly capabilities?: readonly string[];
  readonly tools?: readonly Tool[];
  readonly turn?: { readonly max_rounds?: number; readonly max_tool_calls?: number; readonly max_repeats?: number };
  readonly model?: string;
  readonly models?: readonly string[];
  readonly provider?: string;
  readonly action?: Action;
  readonly effects?: "at_least_once" | "at_most_once";
  readonly context_sources?: readonly (ContextClass | ContextSource)[];
  /** Amount in US dollars. */
  readonly estimated_cost?: number;
}

type CriteriaOf<S extends Schema> = NonNullable<S["~standard"]["types"]>["output"];
type ContextClass = "trusted" | "internal" | "external" | "untrusted";
interface ContextSource {
  readonly class: ContextClass;
  readonly as_of?: string;
  readonly environment?: string;
}

/** Repetition of a step, one round after the other. */
export interface RepeatOptions<Outputs> {
  readonly until: Condition | ((outputs: Ref<Outputs>, round: Ref<number>) => Condition);
  readonly max?: number;
  readonly every?: Duration;
  readonly on_exhausted?: "fail" | "continue";
}

export interface EachOptions extends AttemptOptions {
  /** Name of the element in expressions and texts. Default: item. */
  readonly as?: string;
  readonly max_items?: number;
  readonly max_parallel?: number;
  /** Number of elements that may fail: a count, or a share such as `10%`. */
  readonly tolerate?: number | string;
  readonly concurrency?: Concurrency;
}

export interface Concurrency {
  readonly key: Operand<unknown>;
  readonly limit?: number;
  readonly when_full?: "queue" | "cancel_new" | "cancel_old";
}
