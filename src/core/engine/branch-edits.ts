/** Edits of a branch: a person's text that replaces the text of a node, or outputs that replace its outputs. */
import { getOwn, type JsonObject, LIMITS, utf8Length } from "../base/index.ts";
import type { PlanNode } from "../plan/index.ts";
import { fieldErrors } from "./answer-changes.ts";
import { nodesWithChangedInputs } from "./changed-inputs.ts";
import { settlementOf } from "./completing.ts";
import type { Carried, CarriedPrompt, CarriedResult } from "./input.ts";
import { findNode, isComputed, planNodeOf } from "./move.ts";
import { keepBeside, nodesToRedo } from "./redo.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState, RunState } from "./state.ts";

export interface BranchEdits {
  /** Texts by node, sent as they are. References in them are not filled. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** Outputs by node, for results that are kept. `stdout` is the text of a node that declares no output of that name. */
  readonly outputs?: Readonly<Record<string, JsonObject>>;
  /** The person who branches. */
  readonly by?: string;
}

type Outcome<T> = { readonly refusal: Refusal } | T;
type Kept = { readonly carried: readonly Carried[] };

/** Returns what a branch keeps of this state when some nodes receive another text, or have their outputs replaced. */
export function branchWith(state: RunState, args: JsonObject, edits: BranchEdits = {}): Outcome<Kept> {
  const prompts = editedPrompts(state, edits);
  if ("refusal" in prompts) return prompts;
  const given = givenResults(state, edits);
  if ("refusal" in given) return given;
  const asked = prompts.map(({ node }) => node);
  const changed = new Set([
    ...nodesWithChangedInputs(state, args),
    ...asked.flatMap(({ instance, planIndex }) => (instance === null ? [planIndex] : [])),
  ]);
  const named = [...changed, ...asked.map(({ planIndex }) => planIndex)];
  const redo = nodesToRedo(
    state,
    named,
    given.map(({ node }) => node.planIndex),
  );
  const again = given.find(({ node }) => redo.has(node.planIndex));
  if (again !== undefined) {
    const { id } = again.node;
    const why = `the node ${id} runs again in this branch, so that no result of it is kept`;
    return { refusal: at("node_not_kept", `outputs.${id}`, { why, hint: "Leave out what makes it run again." }) };
  }
  const results = new Map(given.map(({ result }) => [result.nodeId, result]));
  const kept = keepBeside(state, { redo, changed, edited: asked });
  const carried = kept.map((one) => (one.status === "completed" ? (results.get(one.nodeId) ?? one) : one));
  return {
    carried: withPrompts(
      carried,
      prompts.map(({ prompt }) => prompt),
    ),
  };
}

/** Adds new texts. A new text replaces an earlier one for the same node. */
export function withPrompts(carried: readonly Carried[], prompts: readonly CarriedPrompt[]): readonly Carried[] {
  const ids = new Set(prompts.map(({ nodeId }) => nodeId));
  return [...carried.filter(({ nodeId, status }) => status !== "prompt" || !ids.has(nodeId)), ...prompts];
}

interface EditedText {
  readonly text: string;
  readonly by: string | undefined;
  /** The field of the request that contains the text. */
  readonly field: string;
}

/** Returns the text that replaces a node's text. Refused for a node that sends no text of its own. */
export function promptFor(
  state: RunState,
  node: NodeState,
  { text, by, field }: EditedText,
): Outcome<{ readonly prompt: CarriedPrompt }> {
  const { id: nodeId } = node;
  const why = whyNoPrompt(node, planNodeOf(state, node));
  if (why !== null) return { refusal: at("no_prompt", field, why) };
  const unusable = unusableText(text);
  if (unusable !== null)
    return {
      refusal: at("invalid_prompt", field, { why: `the text for ${nodeId} ${unusable.why}`, hint: unusable.hint }),
    };
  return { prompt: { nodeId, status: "prompt", text, ...(by === undefined ? {} : { by }) } };
}

interface Why {
  readonly why: string;
  readonly hint: string;
}

function unusableText(text: string): Why | null {
  if (text.trim() === "") return { why: "is empty", hint: "Leave it out, and the node is asked what its step says." };
  const size = utf8Length(text);
  const limit = LIMITS.boundInputBytesMax;
  if (size <= limit) return null;
  return { why: `has ${size} bytes, the limit is ${limit}`, hint: "Shorten it, or give what is long as an arg." };
}

function whyNoPrompt({ id, instance }: NodeState, planNode: PlanNode): Why | null {
  const { kind, child, choose, work, forEach, repeat } = planNode;
  if (kind === "gate") return { why: `the node ${id} is a gate: it asks a person and sends nothing`, hint: OTHER_NODE };
  if (child !== null || choose !== null) {
    return {
      why: `the node ${id} starts a run of its own`,
      hint: "Its steps are nodes of that run; change what it is given.",
    };
  }
  if (isComputed(kind) || work !== null)
    return { why: `the node ${id} is a ${kind} step, which sends no text`, hint: OTHER_NODE };
  if (instance !== null || (forEach === null && repeat === null)) return null;
  const parts = repeat === null ? "elements" : "rounds";
  return {
    why: `the node ${id} is done in ${parts}, each asked on its own`,
    hint: `Name one of them, such as ${id}[0].`,
  };
}

const OTHER_NODE = "Change what it is given instead: the args, or the outputs of a node before it.";

type EditedPrompts = readonly { readonly node: NodeState; readonly prompt: CarriedPrompt }[];

function editedPrompts(state: RunState, { prompts = {}, by }: BranchEdits): Outcome<EditedPrompts> {
  const edited: EditedPrompts[number][] = [];
  for (const [nodeId, text] of Object.entries(prompts)) {
    const node = findNode(state, nodeId);
    if (node === undefined) return { refusal: unknownNode(state, "prompts", nodeId) };
    const made = promptFor(state, node, { text, by, field: `prompts.${nodeId}` });
    if ("refusal" in made) return made;
    edited.push({ node, prompt: made.prompt });
  }
  return edited;
}

type GivenResults = readonly { readonly node: NodeState; readonly result: CarriedResult }[];

function givenResults(state: RunState, { outputs = {}, by }: BranchEdits): Outcome<GivenResults> {
  const given: GivenResults[number][] = [];
  for (const [nodeId, values] of Object.entries(outputs)) {
    const node = findNode(state, nodeId);
    if (node === undefined) return { refusal: unknownNode(state, "outputs", nodeId) };
    const made = resultWith(state, node, values);
    if ("refusal" in made) return made;
    given.push({ node, result: by === undefined ? made.result : { ...made.result, by } });
  }
  return given;
}

type CompletedResult = Extract<CarriedResult, { readonly status: "completed" }>;

function resultWith(
  state: RunState,
  node: NodeState,
  values: JsonObject,
): Outcome<{ readonly result: CompletedResult }> {
  const { id } = node;
  const planNode = planNodeOf(state, node);
  const field = `outputs.${id}`;
  if (!isPlain(node, planNode)) {
    const why = `what ${id} returned was not said by it, but by a person, another run, or its parts`;
    return { refusal: at("node_not_kept", field, { why, hint: "Give the outputs of a node that works itself." }) };
  }
  if (node.now.status !== "completed") {
    const why = `the node ${id} had not completed at this event, so that no result of it is kept`;
    return {
      refusal: at("node_not_kept", field, { why, hint: "Branch from a later event, or edit what it is asked." }),
    };
  }
  const settlement = settlementOf(state, node, answerOf(planNode, values));
  if (settlement.ok)
    return { result: { nodeId: id, status: "completed", ...settlement.result, ...countedOf(state, node) } };
  const { failure, errors = [] } = settlement;
  const hint = `They have to be as ${id} itself would have to return them.`;
  if (errors.length === 0) return { refusal: at("invalid_outputs", field, { why: failure.message, hint }) };
  const places = fieldErrors(errors, `${field}.`).map((error) => ({ ...error, hint }));
  return { refusal: { ...refuse("invalid_outputs", failure.message), errors: places } };
}

const PLAIN: ReadonlySet<PlanNode["kind"]> = new Set(["agent", "lens", "utility", "set", "script", "function"]);

function isPlain({ instance }: NodeState, { kind, child, forEach, repeat }: PlanNode): boolean {
  return PLAIN.has(kind) && child === null && forEach === null && repeat === null && instance === null;
}

/** Reads outputs in the form that scripts use: `stdout` is the text, unless an output of that name is declared. */
function answerOf({ body }: PlanNode, values: JsonObject): Parameters<typeof settlementOf>[2] {
  const { stdout, ...outputs } = values;
  const isOutput = body.kind === "step" && getOwn(body.outputs ?? {}, "stdout") !== undefined;
  if (typeof stdout !== "string" || isOutput) return { outputs: values };
  return Object.keys(outputs).length === 0 ? { stdout } : { stdout, outputs };
}

function countedOf({ nodes }: RunState, { counted }: NodeState): Pick<CompletedResult, "counted"> {
  return counted === null ? {} : { counted: [...counted].flatMap((index) => nodes[index]?.id ?? []) };
}

function unknownNode({ plan }: RunState, place: string, nodeId: string): Refusal {
  const known = plan.nodes.map(({ id }) => id);
  const more = known.length > NAMES_MAX ? ", …" : "";
  const why = `the run has no node "${nodeId}" at this event`;
  return at("unknown_node", `${place}.${nodeId}`, {
    why,
    hint: `Its nodes are ${known.slice(0, NAMES_MAX).join(", ")}${more}.`,
  });
}

const NAMES_MAX = 20;

function at(code: string, field: string, { why, hint }: Why): Refusal {
  return { ...refuse(code, why), errors: [{ field, message: `cannot be used: ${why}`, hint }] };
}
