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
          "Time at which the data was current.",
        ),
        environment: optional(givenName, "Environment that stores the data."),
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
  name: optional(anyText, "Display name of the step. Default: its id."),
  description: optional(anyText, "Purpose of the step."),
  phase: optional(givenName, "One of the declared phases."),
  command: optional(commandText, "Instruction for the agent; ${…} is filled in."),
  role: optional(givenName, "Role that executes the step. It is bound to an agent at the start of the run."),
  agent: optional(givenName, "Agent that executes the step."),
  depends_on: optional(
    list(located(dependency)),
    "Steps that must settle first: ids, or {step, on} with on: success, failure or settled.",
    { default: [] },
  ),
  join: optional(joinShape, "Number of steps in depends_on that the step waits for: all, any, or a number.", {
    default: "all",
  }),
  race: optional(flag, "Stops the steps in depends_on that are still open when join is reached.", { default: false }),
  stdin: optional(stdinText, "$step.stdout, $step.json, $step.approved, or text that contains such references."),
  condition: optional(expression, "Condition of the step. The step is skipped when it is false.", { alias: "when" }),
  inputs: optional(mapOf(inputField), "Inputs of the step: name → value."),
  outputs: optional(mapOf(outputField), "Fields that the agent must return: name → type."),
  success_criteria: optional(list(located(expression)), "Expressions over outputs.* that must all be true."),
  timeout: optional(duration, "Maximum duration of an attempt in seconds.", {
    default: LIMITS.stepTimeoutMsDefault / 1_000,
  }),
  on_failure: optional(failureRule, "Action when the step has failed: a word, or {retry, then}.", {
    default: "halt",
  }),
  retry: optional(retryShape, "Number of attempts, and the causes that are retried."),
  parallel_failure_policy: optional(
    choice(["wait_all", "fail_fast"]),
    "Whether a halt waits for open steps or cancels them.",
    { default: "wait_all" },
  ),
  approval: optional(approvalWord, "Requires the approval of a person before the step runs."),
  hitl: optional(flag, "Alternative to approval: required."),
  approvers: optional(
    list(approver, { isFilled: true }),
    "Chain of approvers. All approvers reached so far may answer, and no other person.",
  ),
  quorum: optional(quorum, "Number of different people who have to approve.", { default: 1 }),
  four_eyes: optional(flag, "Requires two people to approve, neither of whom started the run.", {
    default: false,
  }),
  confirm: optional(choice(["sign_in"]), "sign_in: the person has to sign in; a link in a message is not enough."),
  show: optional(
    list(showItem, { isFilled: true, limit: { max: SHOWN_MAX, code: "bad_number" } }),
    "Content shown to the person who answers: references, texts, or maps with markdown, table, image, file or diff. Default: all inputs.",
  ),
  form: optional(
    form,
    "Form that the person fills in at a gate. Its fields become outputs of the gate, beside approved.",
  ),
  otherwise: optional(choice(OTHERWISE), "Action when no approver of the chain answers."),
  expires: optional(duration, "Time after which an approval expires.", { default: "7d" }),
  separate_approver: optional(flag, "Whether the person who started the run may not approve.", { default: false }),
  workflow_ref: optional(workflowRef, "Runs another workflow: name or name@version."),
  with: optional(mapOf(anyJson), "Args of the other workflow; ${…} is filled in."),
  set: optional(setShape, "Calculates values: name → value. They are the outputs of the step."),
  script: optional(scriptShape, "Runs code without I/O. The code reads inputs and returns outputs."),
  function: optional(functionName, "Runs a function of a worker. The function receives inputs and returns outputs."),
  cancel: optional(cancelShape, "Ends the run as cancelled, or as completed, with a reason."),
  fail: optional(failShape, "Ends the run as failed, with a code and a message."),
  wait: optional(waitShape, "Waits for a duration (5m), until a time, for an event, or for a signal."),
  emit: optional(emitShape, "Emits an event: type, key, data."),
  queue_timeout: optional(duration, "Maximum time in seconds to wait for a slot or a rate window.", {
    default: LIMITS.queueTimeoutMsDefault / 1_000,
  }),
  for_each: optional(listValue, "List, or expression with a list as its value. The step runs once per element."),
  as: optional(stepId, "Name for the element in expressions.", { default: "item" }),
  max_items: optional(
    number({ isInteger: true, min: 1, max: LIMITS.nodesMax, expected: `a whole number from 1 to ${LIMITS.nodesMax}` }),
    "Maximum number of elements.",
    { default: LIMITS.forEachItemsDefault },
  ),
  max_parallel: optional(positive, "Maximum number of instances that are open at a time."),
  tolerate: optional(tolerate, "Number of elements that may fail: a count, or a share such as 10%.", { default: 0 }),
  repeat: optional(repeatShape, "Repeats the step in rounds until a condition is true."),
  capabilities: optional(names, "Capabilities that the gateway must have."),
  tools: optional(
    toolsShape,
    "Tools that the agent may call: names, or {name, action}; * in a name stands for any characters.",
  ),
  turn: optional(turnShape, "Limits of the agent's turn: rounds, tool calls, repeats of one call."),
  model: optional(givenName, "Model of the step."),
  models: optional(
    list(givenName, { isFilled: true, limit: { max: MODELS_MAX, code: "bad_number" } }),
    "Models in order of preference. The next model is used when the previous one cannot answer.",
  ),
  provider: optional(givenName, "Adapter that runs the step."),
  action: optional(choice(ACTIONS), "Action of the step, for the autonomy check.", { default: "execute" }),
  effects: optional(choice(EFFECT_GUARANTEES), "Whether the request may be sent a second time after a crash.", {
    default: "at_least_once",
  }),
  context_sources: optional(list(contextSource), "Classes of data that the step reads."),
  estimated_cost: optional(dollars, "Amount in US dollars that is reserved before the step runs."),
  allow_secret_literals: optional(flag, "Allows texts that look like secrets in this step.", { default: false }),
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

const PLAIN_STEP_FIELDS = {
  id: mandatory(stepId, "Id of the step in snake_case, used by other steps."),
  ...SHARED,
  library_step: optional(givenName, "Entry of the step library that provides the fields not set here."),
};

/** An interface and not a type alias, because steps can contain steps. */
export interface RawStep extends Reading<typeof PLAIN_STEP_FIELDS> {
  readonly steps?: WrittenSteps | undefined;
  readonly choose?: WrittenBranches | undefined;
  /** The outputs of a block. */
  readonly block_outputs?: Readonly<Record<string, WrittenOutput>> | undefined;
  /** The concurrency of a block. */
  readonly concurrency?: WrittenConcurrency | undefined;
}

const STEP = {
  ...PLAIN_STEP_FIELDS,
  steps: optional(
    nestedSteps((): Shape<RawStep> => stepShape),
    "Steps of a block, in place of a command. They read what the step may read. The outputs of the block are those of the step.",
  ),
  choose: optional(
    chooseShape((): Shape<RawStep> => stepShape),
    "Branches of the step. The first branch whose condition is true is run.",
  ),
};

const STEP_RULE = { title: "a step", foreign: STEP_WORDS };
const plainStep = record(STEP, STEP_RULE);
/** A step with a block. Its outputs are values, not types as those of an agent. */
const blockStep = record(
  {
    ...STEP,
    outputs: optional(runOutputs, "Outputs of the block: name → value. Default: the outputs of its last steps."),
    concurrency: optional(
      concurrencyShape,
      "Limits how many runs of the block with the same key may be open at a time, in all runs.",
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
        description:
          "For a block: limits how many runs of the block with the same key may be open at a time, in all runs.",
      },
      outputs: {
        anyOf: [mapOf(outputField).schema, runOutputs.schema],
        description: "Fields that the agent must return: name → type. For a block: its outputs, name → value.",
      },
    },
  },
};

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

export const libraryStepShape = record(SHARED, { title: "a library step", foreign: STEP_WORDS });
