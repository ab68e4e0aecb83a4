import {
  fail,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonToText,
  type Outcome,
  succeed,
} from "../../core/base/index.ts";
import { evaluateCondition, walk } from "../../core/expression/index.ts";
import { isSingleReference, renderStepTemplate, type WithValue } from "../../core/template/index.ts";
import type { Delivered, Trigger } from "../../registry/index.ts";
import { argsOfMessage, type DeclaredArgs } from "./message-args.ts";

/** What a trigger makes of a delivery: args for a run, or nothing. */
export type Evaluation =
  | { readonly kind: "filtered" }
  | { readonly kind: "args"; readonly args: JsonObject }
  | { readonly kind: "failed"; readonly code: "expression_error" | "invalid_request"; readonly message: string };

/** `declared` are the args of the workflow; they matter where the trigger names none itself. */
export function evaluateTrigger(
  trigger: Pick<Trigger, "filter" | "args" | "on">,
  delivered: Delivered,
  declared: DeclaredArgs,
): Evaluation {
  const holds = filterHolds(trigger, delivered);
  if (!holds.ok) return { kind: "failed", code: "expression_error", message: `The filter: ${holds.failure}.` };
  if (!holds.value) return { kind: "filtered" };
  if (trigger.args === null) return defaultArgs(trigger, delivered, declared);
  const args = Object.entries(trigger.args).flatMap(([name, value]) => {
    const found = valueOf(value, delivered);
    // What is missing is not given, so that the default of the arg holds.
    return found === undefined ? [] : [[name, found] as const];
  });
  return { kind: "args", args: Object.fromEntries(args) };
}

function filterHolds({ filter }: Pick<Trigger, "filter">, delivered: Delivered): Outcome<boolean, string> {
  if (filter === null) return succeed(true);
  const holds = evaluateCondition(filter.root, ({ segments }) => find(delivered, segments));
  return holds.ok ? holds : fail(holds.failure);
}

function find(delivered: Delivered, segments: readonly (string | number)[]): Json | undefined {
  return walk({ ...delivered }, segments);
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

/** A text that is exactly one reference keeps the value as it is. */
function valueOf(value: WithValue, delivered: Delivered): Json | undefined {
  switch (value.kind) {
    case "value":
      return value.value;
    case "text": {
      const single = isSingleReference(value.template);
      if (single !== undefined) return find(delivered, single.segments);
      return renderStepTemplate(value.template, ({ segments }) => jsonToText(find(delivered, segments)));
    }
    case "list":
      return value.items.map((item) => valueOf(item, delivered) ?? null);
    case "object":
      return Object.fromEntries(
        Object.entries(value.members).map(([key, member]) => [key, valueOf(member, delivered) ?? null]),
      );
  }
}
