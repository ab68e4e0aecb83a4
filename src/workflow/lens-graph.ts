/** Lens graphs in TypeScript: nodes and edges in the form of a file; steps inside nodes are written as functions. */
import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { fieldsOfSchema } from "./field.ts";
import { branchFields, type Branch, type ElseBranch, stepsFields } from "./flow-step.ts";
import { repeatFields } from "./step-document.ts";
import type { RepeatOptions } from "./step-options.ts";
import type { InputOf, ObjectSchema } from "./schema.ts";
import { collect, stepsOf } from "./scope.ts";
import { objectOf } from "./value.ts";
import { createWorkflowObject, type Workflow } from "./workflow.ts";

type Merge = "last_write_wins" | "concat" | "array" | "json_object";

export interface LensConfig {
  readonly template_body?: string;
  readonly model_id?: string;
  readonly timeout_ms?: number;
  readonly on_parent_failure?: "skip" | "propagate" | "substitute_default";
  readonly merge?: Merge;
  readonly moderation?: "off" | "input" | "output" | "both";
  readonly param_overrides?: Readonly<Record<string, Json>>;
  readonly retry?: {
    readonly attempts?: number;
    readonly backoff_ms?: number;
    readonly max_backoff_ms?: number;
    readonly retry_on?: readonly string[];
  };
  readonly workflow_ref?: string;
  readonly with?: JsonObject;
  readonly join?: "all" | "any" | number;
  readonly race?: boolean;
  readonly repeat?: RepeatOptions<unknown>;
  /** Steps in place of a template. The return value of the function becomes the outputs of the node. */
  readonly steps?: () => unknown;
  readonly choose?: readonly (Branch<unknown> | ElseBranch<unknown>)[];
}

export interface LensNodeOptions<Id extends string> {
  readonly id: Id;
  /** Id of the lens; null or absent for a node without a lens. */
  readonly lens_id?: string | null;
  readonly version_id?: string | null;
  readonly label?: string;
  readonly ordinal?: number;
  readonly config?: LensConfig;
}

export interface LensEdgeOptions<Id extends string> {
  readonly id: string;
  readonly source_node_id: Id;
  readonly target_node_id: Id;
  readonly target_param_label: string;
  readonly source_output_key?: string;
  readonly merge_strategy?: Merge;
  readonly on?: "success" | "failure" | "settled";
  readonly condition?:
    | { readonly type: "equals" | "contains"; readonly value: Json }
    | { readonly type: "present" | "truthy" }
    | { readonly type: "expression"; readonly expr: string };
}

export interface LensGraphOptions<S extends ObjectSchema, Id extends string> {
  readonly root_inputs?: S;
  readonly version?: number;
  readonly description?: string;
  readonly model?: string;
  readonly gateway?: "pinned" | "any";
  readonly completion?: "strict" | "leaves";
  readonly priority?: "high" | "normal" | "low";
  readonly timeout?: number | string;
  readonly max_parallel?: number;
  readonly nodes: readonly LensNodeOptions<Id>[];
  readonly edges?: readonly LensEdgeOptions<NoInfer<Id>>[];
  /** Steps that run after all nodes have settled. */
  readonly finally?: () => void;
}

/** Creates a workflow of lenses. */
export function lensGraph<const Id extends string, S extends ObjectSchema = ObjectSchema>(
  name: string,
  options: LensGraphOptions<S, Id>,
  // oxlint-disable-next-line typescript/no-explicit-any -- what the last nodes return, by their ids
): Workflow<InputOf<S> & object, any> {
  const { root_inputs: schema, nodes, edges, finally: last, ...head } = options;
  const inputs =
    schema === undefined ? {} : { root_inputs: optionalNamed(fieldsOfSchema(schema, "root_inputs", false)) };
  const definition = {
    format: "lens-graph/v1",
    name,
    ...objectOf(head, "graph"),
    ...inputs,
    nodes: nodes.map(nodeFields),
    ...(edges === undefined ? {} : { edges: edges.map((edge) => objectOf(edge, edge.id)) }),
    ...(last === undefined ? {} : { finally: stepsOf(collect([], last).scope).steps }),
  };
  return createWorkflowObject(definition, new Map(), []);
}

/** Writes `required: false` explicitly for optional inputs, so that an unset one renders as nothing. */
function optionalNamed(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const isSaid = isJsonObject(field) && (Object.hasOwn(field, "required") || Object.hasOwn(field, "default"));
      return [name, isSaid ? field : { ...(field as JsonObject), required: false }];
    }),
  );
}

function nodeFields({ config, ...rest }: LensNodeOptions<string>): JsonObject {
  const fields = objectOf(rest, rest.id);
  if (config === undefined) return fields;
  const { steps, choose, repeat, ...more } = config;
  return {
    ...fields,
    config: {
      ...objectOf(more, `${rest.id}.config`),
      ...(repeat === undefined ? {} : { repeat: repeatFields(repeat) }),
      ...(steps === undefined ? {} : stepsFields(steps, rest.id).fields),
      ...(choose === undefined ? {} : { choose: branchFields(choose, rest.id).branches }),
    },
  };
}
