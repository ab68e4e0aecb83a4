/** Keys of other systems, each with a hint about what to write here. They are checked before similar spellings: `if` is not `id`. */
export type ForeignWords = ReadonlyMap<string, string>;

function words(...rows: readonly (readonly [keys: string, hint: string])[]): ForeignWords {
  return new Map(rows.flatMap(([keys, hint]) => keys.split(" ").map((key) => [key, hint] as const)));
}

const NO_ENVIRONMENT =
  "Nothing is passed as an environment: hand values over as args and inputs, and keep secrets in the environment of the Bridge.";
const RETRY = "Write on_failure: retry, or on_failure: { retry: { attempts: 3 } } for exact numbers.";
const SKIP = "Write on_failure: skip.";
const LOOP = "Write repeat: { until: outputs.done, max: 5 }.";

export const STEP_WORDS: ForeignWords = words(
  ["if only_if where", "Write condition: a.value == 1, or another expression."],
  ["unless", "Write condition: not (…)."],
  ["needs need after requires upstream depends dependencies", "Write depends_on: [step, …]."],
  [
    "run runs exec execute shell bash cmd",
    "Write command: what is to be done. Programs are run by the process adapter (provider: process).",
  ],
  ["code javascript js", "Write script: |, which sees inputs and returns outputs."],
  ["vars variables let assign compute transform", "Write set: { name: value }."],
  ["prompt instruction instructions message task ask", "Write command."],
  ["matrix strategy with_items with_list loop foreach forEach each items iterate map", "Write for_each: path.to.list."],
  ["sleep delay pause", "Write wait: 5m."],
  ["signal await on_event wait_for waitFor event", "Write wait: { event: type }, or wait: { signal: name }."],
  ["publish send_event raise", "Write emit: { type: …, data: … }."],
  ["env environment", NO_ENVIRONMENT],
  ["uses use template include", "Write library_step for a step of the library, or workflow_ref for another workflow."],
  [
    "switch case cases choice branch branches else default",
    "Write choose: [{ when: …, steps: [ … ] }, { else: [ … ] }].",
  ],
  ["do body block group then", "Write steps: [ … ] in place of a command."],
  ["retries max_retries maxRetries retry_count max_attempts attempts tries", RETRY],
  ["continue_on_error continue-on-error continueOnError ignore_errors allow_failure", SKIP],
  [
    "catch on_error onError fallback handler rescue",
    "Write a step with depends_on: [{ step: …, on: failure }], or on_failure: halt, skip, retry or retry_once_then_escalate.",
  ],
  [
    "timeout_minutes timeout-minutes timeoutMinutes timeout_seconds timeout_ms timeoutMs",
    "Write timeout: 5m, or seconds.",
  ],
  ["until while do_until repeat_until doUntil poll", LOOP],
  ["register save_as output result results returns produces", "Write outputs: { name: type }."],
  [
    "params parameters arguments args input",
    "Write inputs for what the step reads, or with for the args of workflow_ref.",
  ],
  ["workflow call subworkflow sub_workflow child", "Write workflow_ref: name."],
  [
    "type kind",
    "What a step is follows from its fields: command, approval, workflow_ref, set, script or library_step.",
  ],
  ["assignee owner user worker", "Write agent or role."],
  [
    "concurrency parallel parallelism",
    "Steps run at the same time unless one depends on another; max_parallel limits them.",
  ],
  ["stop abort exit terminate end", "Write cancel: reason, or fail: { code: …, message: … }."],
  ["throw error", "Write fail: { code: …, message: … }."],
  ["wait_any waitAny first_of any_of", "Write depends_on: [step, …] and join: any."],
  ["always always_run run_always", "Write depends_on: [{ step: …, on: settled }]."],
  ["finally", "Write finally: [ … ] beside the steps of the document."],
);

export const DOCUMENT_WORDS: ForeignWords = words(
  ["jobs tasks stages stage flow pipeline nodes states", "Write steps."],
  [
    "on trigger triggers schedule schedules cron event",
    "What starts a workflow is registered apart: a Trigger manifest with on: { schedule, hook, event or form }.",
  ],
  ["env environment", NO_ENVIRONMENT],
  ["inputs input params parameters variables vars arguments with", "Write args: what a run is given."],
  ["output result results returns", "Write outputs: { name: value }."],
  ["retries retry on_failure", "Steps are tried again one by one: write on_failure or retry in the step."],
  ["parallel parallelism", "Write max_parallel."],
  ["mutex semaphore lock synchronization max_runs maxRuns", "Write concurrency: { key: …, limit: 1 }."],
  ["id title workflow", "Write name."],
  ["onExit on_exit always cleanup teardown", "Write finally: [steps], which run however the run ends."],
  ["handlers", "Write depends_on: [{ step: …, on: failure }] in a step."],
  ["kind spec apiVersion metadata", "This looks like a manifest: kind, name and spec, which sluice apply takes."],
);

export const NODE_WORDS: ForeignWords = words(
  ["prompt template template_body command instruction", "Write config: { template_body: … }."],
  ["depends_on dependsOn needs after inputs input", "Write an edge from the other node."],
  ["condition if when", "Write the condition on the edge into the node."],
  ["model model_id", "Write config: { model_id: … }."],
  ["timeout timeout_ms", "Write config: { timeout_ms: … }."],
  ["retry retries merge moderation param_overrides on_parent_failure workflow_ref with", "It belongs under config."],
  ["lens", "Write lens_id."],
  ["version", "Write version_id."],
  ["name title", "Write label."],
);

export const EDGE_WORDS: ForeignWords = words(
  ["from source", "Write source_node_id."],
  ["to target", "Write target_node_id."],
  ["if when", "Write condition: { type: … }."],
  ["label param parameter input", "Write target_param_label."],
  ["output key field", "Write source_output_key."],
  ["merge", "Write merge_strategy."],
);

const ON_EDGES = ["needs", "need", "after", "requires", "upstream", "depends", "dependencies"];
const ON_EDGE_CONDITIONS = ["if", "only_if", "where", "unless", "when", "condition"];

/** Foreign keys in the config of a node: those of a step, except that dependencies and conditions belong on edges. */
export const CONFIG_WORDS: ForeignWords = new Map([
  ...STEP_WORDS,
  ...[...ON_EDGES, "depends_on", "dependsOn"].map((key) => [key, "Write an edge from the other node."] as const),
  ...ON_EDGE_CONDITIONS.map((key) => [key, "Write the condition on the edge into the node."] as const),
  ...["prompt", "command", "instruction", "instructions", "message", "task", "template"].map(
    (key) => [key, "Write template_body."] as const,
  ),
  ...["timeout", "timeout_minutes", "timeout_seconds"].map((key) => [key, "Write timeout_ms."] as const),
]);

export const REPEAT_WORDS: ForeignWords = words(
  ["while", "Write until: the condition that ends it."],
  ["times count max_rounds max_iterations maxIterations limit iterations", "Write max: 5."],
  ["interval delay sleep wait pause backoff", "Write every: 30s."],
);

export const WAIT_WORDS: ForeignWords = words(
  ["for duration seconds minutes hours time sleep delay", "Write wait: 5m, without a map."],
  ["at date moment", "Write until: a date, or an expression that gives one."],
  [
    "key keys correlation correlate where filter condition when",
    "Write match: { name: value }, which is the key of the event.",
  ],
  ["type name topic on", "Write event: type, or signal: name."],
);

export const EVENT_WORDS: ForeignWords = words(
  ["payload body value message content", "Write data: { … }."],
  ["match correlation keys", "Write key: { name: value }."],
  ["event name topic", "Write type: order.paid."],
);

export const RETRY_WORDS: ForeignWords = words(
  [
    "max_attempts maxAttempts max_retries maxRetries retries times count limit",
    "Write attempts: 3, the first call included.",
  ],
  ["delay interval wait backoff initial_interval", "Write backoff_ms: 500."],
  ["max_delay max_interval", "Write max_backoff_ms: 8000."],
  ["on errors retryable", "Write retry_on: [timeout, provider_error, rate_limit]."],
);

export const CONCURRENCY_WORDS: ForeignWords = words(
  ["group name mutex", "Write key: an expression, or a text such as deploy-${stage}."],
  ["max count size slots", "Write limit: 1."],
  ["cancel-in-progress cancel_in_progress", "Write when_full: cancel_old."],
  ["policy on_full strategy", "Write when_full: queue, cancel_new or cancel_old."],
);

export const DEPENDENCY_WORDS: ForeignWords = words(
  ["id name node task job", "Write step: its id."],
  ["condition when if status outcome result", "Write on: success, failure or settled."],
);

export const SCRIPT_WORDS: ForeignWords = words(
  ["source text run body src script js javascript", "Write code: what it does."],
  ["lang type runtime", "Leave it out: scripts are JavaScript."],
);
