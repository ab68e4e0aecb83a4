import { isJsonObject, type JsonObject, LIMITS } from "../base/index.ts";
import {
  ACTIONS,
  CONTEXT_CLASSES,
  EFFECT_GUARANTEES,
  OTHERWISE,
  type ContextSource,
  type ForEach,
} from "./definition.ts";
import { approver, quorum, showItem } from "./approval-shape.ts";
import { concurrencyShape, type WrittenConcurrency } from "./concurrency-shape.ts";
import { dependency, joinShape } from "./dependency-shape.ts";
import { emitShape, waitShape } from "./event-shape.ts";
import { positive } from "./document-shape.ts";
import { failureRule } from "./failure-shape.ts";
import { inputField, outputField } from "./field-shape.ts";
import { form } from "./form-shape.ts";
import { STEP_WORDS } from "./foreign-word.ts";
import { stepId } from "./identifier.ts";
import { chooseShape, nestedSteps, type WrittenBranches, type WrittenSteps } from "./block-shape.ts";
import { isWritten, mandatory, optional, picked, record, type Reading } from "./record.ts";
import { runOutputs, type WrittenOutput } from "./run-output.ts";
import { listValue } from "./list-shape.ts";
import { repeatShape } from "./repeat-shape.ts";
import { retryShape } from "./retry-shape.ts";
import {
  anyJson,
  anyText,
  byKind,
  choice,
  flag,
  list,
  located,
  mapOf,
  nameOf,
  number,
  quote,
  refine,
  type Shape,
  word,
} from "./shape.ts";
import { toolsShape, turnShape } from "./tool-shape.ts";
import { cancelShape, failShape, scriptShape, setShape } from "./work-shape.ts";
import { functionName } from "./function-step.ts";
import { commandText, duration, expression, givenName, stdinText, workflowRef } from "./text-shape.ts";

const contextClass = choice(CONTEXT_CLASSES);

const contextSource = byKind<ContextSource>("a class of data or a map", {
  text: refine(contextClass, (name) => ({ class: name })),
  map: refine(
    record(
      {
        class: mandatory(contextClass, "Class of the data."),
        as_of: optional(
          word({
            expected: "a date such as 2031-05-04 or 2031-05-04T10:00:00Z",
            code: "wrong_type",
            pattern: isoDate(),
          }),
          "How fresh the data is.",
        ),
        environment: optional(givenName, "Where the data lives."),
      },
      { title: "a context source" },
    ),
    (raw) =>
      raw.class === undefined
        ? undefined
        : {
            class: raw.class,
            ...(raw.as_of === undefined ? {} : { asOf: raw.as_of }),
            ...(raw.environment === undefined ? {} : { environment: raw.environment }),
          },
  ),
});

function isoDate(): RegExp {
  return /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
}

const PERCENT = /^(\d{1,3}(?:\.\d+)?)%$/;
const TOLERATE_EXPECTED = "a whole number, or a share such as 10%";

const tolerate = byKind<ForEach["tolerate"]>(TOLERATE_EXPECTED, {
  number: refine(number({ isInteger: true, min: 0, expected: TOLERATE_EXPECTED }), (count) => ({ count })),
  text: refine(anyText, (text, path, report) => {
    const percent = Number(PERCENT.exec(text)?.[1] ?? Number.NaN);
    if (percent <= 100) return { percent };
    report.problem("bad_number", path, `${nameOf(path)} must be ${TOLERATE_EXPECTED}, but it is ${quote(text)}.`);
    return undefined;
  }),
});

/** US dollars, converted to millionths. Rounded up, so that a reservation is never too small. */
const dollars = refine(number({ min: 0, max: 1_000_000_000, expected: "US dollars, 0 or more" }), (usd) => {
  const nearest = Math.round(usd * 1_000_000);
  const isExact = Math.abs(usd * 1_000_000 - nearest) < 1e-6 * Math.max(1, nearest);
  return isExact ? nearest : Math.ceil(usd * 1_000_000);
});

const SHOWN_MAX = 50;
const MODELS_MAX = 10;
const names = list(givenName);
const approvalWord = choice(["required"], {}, "Write approval: required.");

/** All fields that a library entry may set. */
const SHARED = {
  name: optional(anyText, "What people see instead of the id."),
  description: optional(anyText, "What the step is for."),
  phase: optional(givenName, "One of the declared phases."),
  command: optional(commandText, "Instruction for the agent; ${…} is filled in."),
  role: optional(givenName, "Who should do it; bound to an agent when the run starts."),
  agent: optional(givenName, "The agent that does it."),
  depends_on: optional(
    list(located(dependency)),
    "Steps that must settle first: ids, or {step, on} with on: success, failure or settled.",
    { default: [] },
  ),
  join: optional(joinShape, "How many of them are enough: all, any, or a number.", { default: "all" }),
  race: optional(flag, "Once join is reached, those still open are stopped.", { default: false }),
  stdin: optional(stdinText, "$step.stdout, $step.json, $step.approved, or text that contains such references."),
  condition: optional(expression, "The step is skipped when this is false.", { alias: "when" }),
  inputs: optional(mapOf(inputField), "What the step reads."),
  outputs: optional(mapOf(outputField), "What the agent must return."),
  success_criteria: optional(list(located(expression)), "Expressions over outputs.* that must all hold."),
  timeout: optional(duration, "Seconds per attempt.", { default: LIMITS.stepTimeoutMsDefault / 1_000 }),
  on_failure: optional(failureRule, "What happens when the step has failed: a word, or {retry, then}.", {
    default: "halt",
  }),
  retry: optional(retryShape, "How often and after which causes the step is tried again."),
  parallel_failure_policy: optional(
    choice(["wait_all", "fail_fast"]),
    "Whether a halt waits for steps in flight or cancels them.",
    { default: "wait_all" },
  ),
  approval: optional(approvalWord, "A person must approve first."),
  hitl: optional(flag, "Another word for approval: required."),
  approvers: optional(
    list(approver, { isFilled: true }),
    "Who is asked, one after the other; all who were asked so far may answer, and no other person.",
  ),
  quorum: optional(quorum, "How many different people have to approve.", { default: 1 }),
  four_eyes: optional(flag, "Two people have to approve, and neither is the one who started the run.", {
    default: false,
  }),
  confirm: optional(choice(["sign_in"]), "A link in a message is not enough to answer: the person signs in."),
  show: optional(
    list(showItem, { isFilled: true, limit: { max: SHOWN_MAX, code: "bad_number" } }),
    "What the person who answers sees: references, texts, or maps with markdown, table, image, file or diff. Default: all inputs.",
  ),
  form: optional(form, "What the person enters at a gate; it becomes the outputs of the gate, beside approved."),
  otherwise: optional(choice(OTHERWISE), "What happens when no person in the chain answers."),
  expires: optional(duration, "How long an approval waits.", { default: "7d" }),
  separate_approver: optional(flag, "The person who started the run may not approve.", { default: false }),
  workflow_ref: optional(workflowRef, "Runs another workflow: name or name@version."),
  with: optional(mapOf(anyJson), "Args of the other workflow; ${…} is filled in."),
  set: optional(setShape, "Calculates values, which are its outputs: name → value."),
  script: optional(scriptShape, "Runs code without input or output of its own: it sees inputs and returns outputs."),
  function: optional(functionName, "Runs a function of a worker: it gets inputs and returns outputs."),
  cancel: optional(cancelShape, "Ends the run as cancelled, or as completed, with a reason."),
  fail: optional(failShape, "Ends the run as failed, with a code and a message."),
  wait: optional(waitShape, "Waits: for a while (5m), until a moment, for an event, or for a signal."),
  emit: optional(emitShape, "Emits an event: type, key, data."),
  queue_timeout: optional(duration, "Seconds the step may wait for a slot or a rate window.", {
    default: LIMITS.queueTimeoutMsDefault / 1_000,
  }),
  for_each: optional(listValue, "A list, or an expression that gives one; the step runs once per element."),
  as: optional(stepId, "Name of the element.", { default: "item" }),
  max_items: optional(
    number({ isInteger: true, min: 1, max: LIMITS.nodesMax, expected: `a whole number from 1 to ${LIMITS.nodesMax}` }),
    "The most elements the list may have.",
    { default: LIMITS.forEachItemsDefault },
  ),
  max_parallel: optional(positive, "Instances at a time."),
  tolerate: optional(tolerate, "Failed elements allowed: a count, or a share such as 10%.", { default: 0 }),
  repeat: optional(repeatShape, "The step is done again, one round after the other, until a condition holds."),
  capabilities: optional(names, "What the gateway must be able to do."),
  tools: optional(
    toolsShape,
    "Tools the agent may call: names, or {name, action}; * in a name stands for any characters.",
  ),
  turn: optional(turnShape, "How far the agent may go: rounds, tool calls, repeats of one call."),
  model: optional(givenName, "Model asked for."),
  models: optional(
    list(givenName, { isFilled: true, limit: { max: MODELS_MAX, code: "bad_number" } }),
    "Models in the order they are asked: the next one when the one before cannot answer.",
  ),
  provider: optional(givenName, "Adapter asked for."),
  action: optional(choice(ACTIONS), "What kind of act it is, for the autonomy check.", { default: "execute" }),
  effects: optional(choice(EFFECT_GUARANTEES), "Whether it may be sent a second time after a crash.", {
    default: "at_least_once",
  }),
  context_sources: optional(list(contextSource), "Classes of data the step reads."),
  estimated_cost: optional(dollars, "US dollars to reserve before it runs."),
  allow_secret_literals: optional(flag, "Texts of this step that look like secrets are none.", { default: false }),
};

/** Fields of a lens graph node that have the same form as in a step. */
export const NODE_FIELDS = picked(SHARED, [
  "set",
  "script",
  "cancel",
  "fail",
  "wait",
  "emit",
  "for_each",
  "as",
  "max_items",
  "max_parallel",
  "tolerate",
]);

const ALONE = {
  id: mandatory(stepId, "snake_case name of the step; others refer to it."),
  ...SHARED,
  library_step: optional(givenName, "Takes the fields that are not set here from this entry of the step library."),
};

/** An interface and not a type alias, because steps can contain steps. */
export interface RawStep extends Reading<typeof ALONE> {
  readonly steps?: WrittenSteps | undefined;
  readonly choose?: WrittenBranches | undefined;
  /** The outputs of a block. */
  readonly block_outputs?: Readonly<Record<string, WrittenOutput>> | undefined;
  /** The concurrency of a block. */
  readonly concurrency?: WrittenConcurrency | undefined;
}

const STEP = {
  ...ALONE,
  steps: optional(
    nestedSteps((): Shape<RawStep> => stepShape),
    "Steps in place of a command: a block, which sees what this step sees and hands on its outputs.",
  ),
  choose: optional(
    chooseShape((): Shape<RawStep> => stepShape),
    "Branches, tried in order: the first whose condition holds is run.",
  ),
};

const STEP_RULE = { title: "a step", foreign: STEP_WORDS };
const plainStep = record(STEP, STEP_RULE);
/** A step with a block. Its outputs are values, not types as those of an agent. */
const blockStep = record(
  {
    ...STEP,
    outputs: optional(runOutputs, "What the block hands on: name → value."),
    concurrency: optional(
      concurrencyShape,
      "How many blocks with the same key may be under way at a time, in all runs.",
    ),
  },
  STEP_RULE,
);

export const stepShape: Shape<RawStep> = {
  read(value, path, report) {
    if (!isWritten(value, "steps")) return plainStep.read(value, path, report);
    const read = blockStep.read(value, path, report);
    if (read === undefined) return undefined;
    const { outputs, ...rest } = read;
    return { ...rest, block_outputs: outputs };
  },
  schema: {
    ...plainStep.schema,
    properties: {
      ...propertiesOf(plainStep.schema),
      concurrency: {
        ...concurrencyShape.schema,
        description: "Of a block: how many with the same key may be under way at a time, in all runs.",
      },
      outputs: {
        anyOf: [mapOf(outputField).schema, runOutputs.schema],
        description: "What the agent must return: name → type. Of a block, what it hands on: name → value.",
      },
    },
  },
};

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

export const libraryStepShape = record(SHARED, { title: "a library step", foreign: STEP_WORDS });
