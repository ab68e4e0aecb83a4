import { digestJson, isJsonObject, type Json, type JsonObject, jsonToText } from "../../core/base/index.ts";
import { type RunLabels, type RunLimit, textOfLabel } from "../../core/engine/index.ts";
import {
  evaluate,
  evaluateCondition,
  type ExpressionFailure,
  type ResolvePath,
  walk,
} from "../../core/expression/index.ts";
import {
  isExpression,
  isSingleReference,
  renderStepTemplate,
  type StepReference,
  type Value,
} from "../../core/template/index.ts";
import type { Delivered, Trigger } from "../../registry/index.ts";
import { argsOfMessage, type DeclaredArgs } from "./message-args.ts";

/** The result of evaluating a trigger for a delivery: args for a run, or nothing. */
export type Evaluation =
  | { readonly kind: "filtered" }
  | {
      readonly kind: "args";
      readonly args: JsonObject;
      readonly limit: RunLimit | null;
      readonly labels: RunLabels;
    }
  | { readonly kind: "failed"; readonly code: ExpressionFailure["code"] | "invalid_request"; readonly message: string };

/** `declared` are the args of the workflow. They are used where the trigger maps none itself. */
export function evaluateTrigger(
  trigger: Pick<Trigger, "origin" | "name" | "filter" | "args" | "on" | "concurrency" | "labels">,
  delivered: Delivered,
  declared: DeclaredArgs,
): Evaluation {
  const { filter } = trigger;
  const resolve: ResolvePath = ({ segments }) => walk({ ...delivered }, segments);
  const holds = filter === null ? null : evaluateCondition(filter.root, resolve);
  if (holds?.ok === false) return failed("The filter", holds.failure);
  if (holds?.value === false) return { kind: "filtered" };
  const limit = limitOf(trigger, resolve);
  if (limit !== null && "kind" in limit) return limit;
  const labels = labelsOf(trigger.labels, resolve);
  if (trigger.args === null) return defaultArgs(trigger, delivered, declared, { limit, labels });
  const args: [string, Json][] = [];
  for (const [name, value] of Object.entries(trigger.args)) {
    const binding = new Binding(resolve);
    const found = binding.valueOf(value);
    if (binding.failure !== null) return failed(`The arg "${name}"`, binding.failure);
    // A missing value is left out, so that the default of the arg applies.
    if (found !== undefined) args.push([name, found]);
  }
  return { kind: "args", args: Object.fromEntries(args), limit, labels };
}

/** Leaves out labels without a value: no run is refused because of a label. */
function labelsOf(labels: Trigger["labels"], resolve: ResolvePath): RunLabels {
  const found = Object.entries(labels).flatMap(([name, value]) => {
    const text = textOfLabel(new Binding(resolve).valueOf(value));
    return text === "" ? [] : [[name, text] as const];
  });
  return Object.fromEntries(found);
}

/** Returns the limit of open runs with the same key, whatever started them. */
function limitOf(
  { origin, name, concurrency }: Pick<Trigger, "origin" | "name" | "concurrency">,
  resolve: ResolvePath,
): RunLimit | null | Extract<Evaluation, { kind: "failed" }> {
  if (concurrency === null) return null;
  const { key: written, limit, whenFull } = concurrency;
  if (written === null) return { key: digestJson({ trigger: `${origin}:${name}` }), limit, whenFull };
  const binding = new Binding(resolve);
  const value = binding.valueOf(written);
  if (binding.failure !== null) return failed("The key of concurrency", binding.failure);
  if (value === undefined || value === null)
    return { kind: "failed", code: "expression_error", message: "The key of concurrency has no value." };
  return { key: digestJson(value), limit, whenFull };
}

function failed(what: string, { code, message }: ExpressionFailure): Extract<Evaluation, { kind: "failed" }> {
  return { kind: "failed", code, message: `${what}: ${message}.` };
}

function defaultArgs(
  { on }: Pick<Trigger, "on">,
  { body }: Delivered,
  declared: DeclaredArgs,
  rest: Pick<Extract<Evaluation, { kind: "args" }>, "limit" | "labels">,
): Evaluation {
  if (on.kind === "schedule") return { kind: "args", args: {}, ...rest };
  const given = on.kind === "event" && isJsonObject(body) ? (body["data"] ?? {}) : body;
  if (!isJsonObject(given)) {
    const message = "The body must be a JSON object, as the trigger names no args of its own.";
    return { kind: "failed", code: "invalid_request", message };
  }
  return { kind: "args", args: argsOfMessage(given, declared), ...rest };
}

/** Computes the value of one arg. The first expression without a value becomes the failure. */
class Binding {
  failure: ExpressionFailure | null = null;
  readonly #resolve: ResolvePath;

  constructor(resolve: ResolvePath) {
    this.#resolve = resolve;
  }

  /** A text that is exactly one reference returns the referenced value with its type. */
  valueOf(value: Value): Json | undefined {
    switch (value.kind) {
      case "literal":
        return value.value;
      case "reference":
        return this.#resolve(value.path);
      case "expression":
        return this.#find(value.expression);
      case "template": {
        const single = isSingleReference(value.template);
        if (single !== undefined) return this.#find(single);
        return renderStepTemplate(value.template, (reference) => jsonToText(this.#find(reference)));
      }
      case "list":
        return value.items.map((item) => this.valueOf(item) ?? null);
      case "object":
        return Object.fromEntries(
          Object.entries(value.members).map(([key, member]) => [key, this.valueOf(member) ?? null]),
        );
    }
  }

  #find(reference: StepReference): Json | undefined {
    if (!isExpression(reference)) return this.#resolve(reference);
    const found = evaluate(reference.root, this.#resolve);
    if (found.ok) return found.value;
    this.failure ??= found.failure;
    return undefined;
  }
}
