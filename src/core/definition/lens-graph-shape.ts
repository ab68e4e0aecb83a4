import { type Json, LIMITS, type TreePath } from "../base/index.ts";
import { chooseShape, nestedSteps } from "./block-shape.ts";
import { parsePath } from "../expression/index.ts";
import {
  EDGE_CONDITIONS,
  MERGE_STRATEGIES,
  MODERATION_MODES,
  ON_PARENT_FAILURE,
  type EdgeCondition,
} from "./definition.ts";
import { DEPENDENCY_OUTCOMES } from "./dependency.ts";
import { joinShape } from "./dependency-shape.ts";
import { concurrencyShape } from "./concurrency-shape.ts";
import { completionField, DOCUMENT_HEAD } from "./document-shape.ts";
import { argField } from "./field-shape.ts";
import { CONFIG_WORDS, EDGE_WORDS, NODE_WORDS } from "./foreign-word.ts";
import { edgeId, lensNodeId } from "./identifier.ts";
import { type Field, mandatory, optional, record, type Reading } from "./record.ts";
import type { Report } from "./report.ts";
import { repeatShape } from "./repeat-shape.ts";
import { RETRY_DEFAULTS, retryShape } from "./retry-shape.ts";
import { runOutputs } from "./run-output.ts";
import { NODE_FIELDS, stepShape } from "./step-shape.ts";
import { anyJson, anyText, choice, flag, list, located, mapOf, number, refine, word, type Shape } from "./shape.ts";
import { expression, givenName, lensText, milliseconds, reportFlaw, workflowRef } from "./text-shape.ts";

export const LENS_GRAPH_FORMAT = "lens-graph/v1";

/** A value that is read later as a document of its own. Its schema is that of steps. */
function asWritten({ schema }: Shape<unknown>): Shape<Json> {
  return { ...anyJson, schema };
}

type NodeField = keyof typeof NODE_FIELDS;

const WORK = Object.fromEntries(
  Object.entries(NODE_FIELDS).map(([name, field]) => [name, { ...field, shape: asWritten(field.shape) }]),
) as Record<NodeField, Field<Json>>;

const CONFIG = {
  model_id: optional(givenName, "Model of this node."),
  timeout_ms: optional(milliseconds(false), "Maximum duration of an attempt in milliseconds.", {
    default: LIMITS.lensTimeoutMsDefault,
  }),
  on_parent_failure: optional(choice(ON_PARENT_FAILURE), "Action when a parent has failed.", { default: "skip" }),
  join: optional(joinShape, "Number of parents the node waits for: all, any, or a number.", { default: "all" }),
  race: optional(flag, "Stops the parents that are still open when join is reached.", { default: false }),
  merge: optional(choice(MERGE_STRATEGIES), "Strategy for several edges into one parameter.", {
    default: "last_write_wins",
  }),
  repeat: optional(repeatShape, "Runs the node in rounds: until, max, every, on_exhausted."),
  moderation: optional(choice(MODERATION_MODES), "Texts that are moderated.", { default: "off" }),
  param_overrides: optional(
    mapOf(anyJson),
    "Values that replace those of edges and root inputs; [[node.path]] is filled in.",
  ),
  retry: optional(retryShape, "Number of attempts, and the causes that are retried.", {
    default: { attempts: RETRY_DEFAULTS.attempts },
  }),
  template_body: optional(lensText, "Template of a node that has no lens."),
  steps: optional(
    asWritten(nestedSteps(() => stepShape)),
    "Steps inside the node, as in a .lobsterX file. They read the inputs of the node by label.",
  ),
  choose: optional(
    asWritten(chooseShape(() => stepShape)),
    "Branches of steps. The first branch whose condition is true is run.",
  ),
  outputs: optional(
    asWritten(runOutputs),
    "Outputs of the steps: name → value. Default: the outputs of the last steps.",
  ),
  ...WORK,
  workflow_ref: optional(workflowRef, "Runs another workflow: name or name@version."),
  with: optional(mapOf(anyJson), "Args of the other workflow."),
};

const NODE = {
  id: mandatory(lensNodeId, "Id of the node, used by edges."),
  lens_id: optional(givenName, "Id of the lens that the node runs; null for a utility node."),
  version_id: optional(givenName, "Version of the lens; null for the newest at the start of the run."),
  label: optional(anyText, "Display name of the node."),
  ordinal: optional(
    number({ isInteger: true, min: 0, expected: "a whole number, 0 or more" }),
    "Position of the node in the display order.",
  ),
  config: optional(
    located(record(CONFIG, { title: "config", isCamelAccepted: true, isNullAbsent: true, foreign: CONFIG_WORDS })),
    "Settings of the node.",
  ),
};

const CONDITION = {
  type: mandatory(choice(EDGE_CONDITIONS), "Kind of the test."),
  value: optional(anyJson, "Value that equals and contains compare with.", { keepsNull: true }),
  expr: optional(expression, "Expression of a condition of type expression."),
};

const edgeCondition: Shape<EdgeCondition> = refine(
  record(CONDITION, { title: "an edge condition", isNullAbsent: true }),
  readCondition,
);

function readCondition(raw: Reading<typeof CONDITION>, path: TreePath, report: Report): EdgeCondition | undefined {
  const { type, value, expr } = raw;
  if (type === undefined) return undefined;
  const needed = type === "expression" ? "expr" : type === "equals" || type === "contains" ? "value" : undefined;
  for (const name of ["value", "expr"] as const) {
    if (name === needed || raw[name] === undefined || raw[name] === null) continue;
    const message = `"${name}" says nothing beside "type: ${type}".`;
    report.problem("conflicting_fields", [...path, name], message, { isAtKey: true, hint: "Remove it." });
  }
  if (type === "present" || type === "truthy") return { type };
  if (type === "expression" && expr !== undefined) return { type, expression: expr };
  if (type !== "expression" && value !== undefined) return { type, value };
  // An invalid expression has been reported already.
  if (needed !== undefined && !Object.hasOwn(raw, needed)) {
    const message = `A condition of type ${type} needs "${needed}".`;
    report.problem("missing_field", [...path, needed], message, { at: path, hint: `Add "${needed}".` });
  }
  return undefined;
}

/** A path into the outputs of a node. */
const outputKey: Shape<string> = refine(anyText, (text, path, report) => {
  const parsed = parsePath(text);
  if (parsed.ok && !text.includes("$")) return text.trim();
  const flaw = { message: "it is a plain path, without $", position: text.indexOf("$"), hint: "such as data.items[0]" };
  reportFlaw("bad_expression", parsed.ok ? flaw : parsed.failure, path, report);
  return undefined;
});

const paramLabel = word({ expected: "the label of a parameter, not blank", code: "bad_name" });

const EDGE = {
  id: mandatory(edgeId, "Id of the edge."),
  source_node_id: mandatory(anyText, "Id of the node where the edge starts."),
  target_node_id: mandatory(anyText, "Id of the node where the edge ends."),
  source_output_key: optional(outputKey, "Path into the outputs of the source; output is the complete text.", {
    default: "output",
  }),
  target_param_label: mandatory(paramLabel, "Parameter of the target that receives the value."),
  merge_strategy: optional(choice(MERGE_STRATEGIES), "Strategy for several edges into this parameter."),
  condition: optional(edgeCondition, "Condition of the edge. The edge is ignored when it is false."),
  on: optional(
    choice(DEPENDENCY_OUTCOMES),
    "Required outcome of the source: success, failure, or settled for either.",
    {
      default: "success",
    },
  ),
};

const LENS_GRAPH = {
  format: mandatory(choice([LENS_GRAPH_FORMAT]), "Identifier of the format."),
  ...DOCUMENT_HEAD,
  completion: completionField("leaves"),
  root_inputs: optional(mapOf(argField, paramLabel), "Inputs of a run: label → type and limits, or a bare default."),
  nodes: mandatory(
    list(located(record(NODE, { title: "a node", isNullAbsent: true, foreign: NODE_WORDS })), {
      isFilled: true,
      limit: { max: LIMITS.nodesMax, code: "too_many_steps" },
    }),
    "Nodes of the graph.",
  ),
  finally: optional(
    asWritten(nestedSteps(() => stepShape)),
    "Steps that run after all nodes have settled, however the run ends.",
  ),
  outputs: optional(
    asWritten(runOutputs),
    "Outputs of the run: name → value; nodes are referred to by their ids. Default: the outputs of the last nodes.",
  ),
  concurrency: optional(asWritten(concurrencyShape), "Limits the number of open runs with the same key."),
  edges: optional(
    list(located(record(EDGE, { title: "an edge", isNullAbsent: true, foreign: EDGE_WORDS })), {
      limit: { max: LIMITS.edgesMax, code: "too_many_edges" },
    }),
    "Edges between the nodes.",
  ),
};

export const lensGraphShape = record(LENS_GRAPH, {
  title: "a lens graph",
  isNullAbsent: true,
  description: "A graph of lens nodes and edges, written as YAML or JSON.",
});
export type RawLensNode = Reading<typeof NODE>;
export type RawLensEdge = Reading<typeof EDGE>;
export type RawConfig = Reading<typeof CONFIG>;
