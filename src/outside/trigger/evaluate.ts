import { isJsonObject, type Json, type JsonObject, jsonToText } from "../../core/base/index.ts";
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

/** What a trigger makes of a delivery: args for a run, or nothing. */
export type Evaluation =
  | { readonly kind: "filtered" }
  | { readonly kind: "args"; readonly args: JsonObject }
  | { readonly kind: "failed"; readonly code: ExpressionFailure["code"] | "invalid_request"; readonly message: string };

/** `declared` are the args of the workflow; they matter where the trigger names none itself. */
export function evaluateTrigger(
  trigger: Pick<Trigger, "filter" | "args" | "on">,
  delivered: Delivered,
  declared: DeclaredArgs,
): Evaluation {
  const { filter } = trigger;
  const resolve: ResolvePath = ({ segments }) => walk({ ...delivered }, segments);
  const holds = filter === null ? null : evaluateCondition(filter.root, resolve);
  if (holds?.ok === false) return failed("The filter", holds.failure);
  if (holds?.value === false) return { kind: "filtered" };
  if (trigger.args === null) return defaultArgs(trigger, delivered, declared);
  const args: [string, Json][] = [];
  for (const [name, value] of Object.entries(trigger.args)) {
    const binding = new Binding(resolve);
    const found = binding.valueOf(value);
    if (binding.failure !== null) return failed(`The arg "${name}"`, binding.failure);
    // What is missing is not given, so that the default of the arg holds.
    if (found !== undefined) args.push([name, found]);
  }
  return { kind: "args", args: Object.fromEntries(args) };
}

function failed(what: string, { code, message }: ExpressionFailure): Evaluation {
  return { kind: "failed", code, message: `${what}: ${message}.` };
}

function defaultArgs({ on }: Pick<Trigger, "on">, { body }: Delivered, declared: DeclaredArgs): Evaluation {
  if (on.kind === "schedule") return { kind: "args", args: {} };
  const given = on.kind === "event" && isJsonObject(body) ? (body["data"] ?? {}) : body;
  if (!isJsonObject(given)) {
    const message = "The body must be a JSON object, as the trigger names no args of its own.";
    return { kind: "failed", code: "invalid_request", message };
  }
  return { kind: "args", args: argsOfMessage(given, declared) };
}

/** The value of one arg; the first expression in it that has none is its failure. */
class Binding {
  failure: ExpressionFailure | null = null;
  readonly #resolve: ResolvePath;

  constructor(resolve: ResolvePath) {
    this.#resolve = resolve;
  }

  /** A text that is exactly one reference keeps the value as it is. */
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
