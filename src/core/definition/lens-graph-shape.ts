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
  timeout_ms: optional(milliseconds(false), "Milliseconds per attempt.", { default: LIMITS.lensTimeoutMsDefault }),
  on_parent_failure: optional(choice(ON_PARENT_FAILURE), "What happens when a parent has failed.", { default: "skip" }),
  join: optional(joinShape, "How many of the nodes before it are enough: all, any, or a number.", { default: "all" }),
  race: optional(flag, "Once join is reached, those still open are stopped.", { default: false }),
  merge: optional(choice(MERGE_STRATEGIES), "How several edges into one parameter are joined.", {
    default: "last_write_wins",
  }),
  repeat: optional(repeatShape, "Runs the node in rounds: until, max, every, on_exhausted."),
  moderation: optional(choice(MODERATION_MODES), "Which texts are moderated.", { default: "off" }),
  param_overrides: optional(mapOf(anyJson), "Values that beat edges and root inputs; [[node.path]] is filled in."),
  retry: optional(retryShape, "How often and after which causes the node is tried again.", {
    default: { attempts: RETRY_DEFAULTS.attempts },
  }),
  template_body: optional(lensText, "Template of a node without a lens."),
  steps: optional(
    asWritten(nestedSteps(() => stepShape)),
    "Steps the node holds, as in a .lobsterX file; they see what it is given by label.",
  ),
  choose: optional(asWritten(chooseShape(() => stepShape)), "Branches of steps: the first whose when holds is run."),
  outputs: optional(
    asWritten(runOutputs),
    "What the steps hand on: name → value. Default: the outputs of the last ones.",
  ),
  ...WORK,
  workflow_ref: optional(workflowRef, "Runs another workflow: name or name@version."),
  with: optional(mapOf(anyJson), "Args of the other workflow."),
};

const NODE = {
  id: mandatory(lensNodeId, "Name of the node; edges refer to it."),
  lens_id: optional(givenName, "The lens it runs; null for a utility node."),
  version_id: optional(givenName, "Version of the lens; null for the newest when the run starts."),
  label: optional(anyText, "What people see."),
  ordinal: optional(number({ isInteger: true, min: 0, expected: "a whole number, 0 or more" }), "Order for people."),
  config: optional(
    located(record(CONFIG, { title: "config", isCamelAccepted: true, isNullAbsent: true, foreign: CONFIG_WORDS })),
    "How the node runs.",
  ),
};

const CONDITION = {
  type: mandatory(choice(EDGE_CONDITIONS), "What is asked of the value."),
  value: optional(anyJson, "What equals and contains compare with.", { keepsNull: true }),
  expr: optional(expression, "The expression, for type expression."),
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
  id: mandatory(edgeId, "Name of the edge."),
  source_node_id: mandatory(anyText, "The node it leaves."),
  target_node_id: mandatory(anyText, "The node it enters."),
  source_output_key: optional(outputKey, "Path into what the source returned; output is the whole text.", {
    default: "output",
  }),
  target_param_label: mandatory(paramLabel, "The parameter it feeds."),
  merge_strategy: optional(choice(MERGE_STRATEGIES), "How several edges into this parameter are joined."),
  condition: optional(edgeCondition, "The edge counts only when this holds."),
  on: optional(
    choice(DEPENDENCY_OUTCOMES),
    "How the source must have ended: success, failure, or settled for either.",
    {
      default: "success",
    },
  ),
};

const LENS_GRAPH = {
  format: mandatory(choice([LENS_GRAPH_FORMAT]), "Names the format."),
  ...DOCUMENT_HEAD,
  completion: completionField("leaves"),
  root_inputs: optional(
    mapOf(argField, paramLabel),
    "What a run is given: label → type and limits, or a bare default.",
  ),
  nodes: mandatory(
    list(located(record(NODE, { title: "a node", isNullAbsent: true, foreign: NODE_WORDS })), {
      isFilled: true,
      limit: { max: LIMITS.nodesMax, code: "too_many_steps" },
    }),
    "The nodes.",
  ),
  finally: optional(
    asWritten(nestedSteps(() => stepShape)),
    "Steps that come after everything has settled, however the run ends.",
  ),
  outputs: optional(
    asWritten(runOutputs),
    "What a run gives to its caller: name → value; nodes are read by their ids. Default: the outputs of the last nodes.",
  ),
  concurrency: optional(asWritten(concurrencyShape), "How many runs with the same key may be open at a time."),
  edges: optional(
    list(located(record(EDGE, { title: "an edge", isNullAbsent: true, foreign: EDGE_WORDS })), {
      limit: { max: LIMITS.edgesMax, code: "too_many_edges" },
    }),
    "What passes from node to node.",
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
