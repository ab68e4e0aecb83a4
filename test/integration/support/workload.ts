import type { JsonObject } from "../../../src/core/base/index.ts";
import { EMPTY_CATALOG } from "../../../src/core/definition/index.ts";
import { checkSource, type Plan } from "../../../src/core/plan/index.ts";

/** A workflow to put under load, with what must come of it. */
export interface Sample extends Expected {
  readonly name: string;
  readonly source: string;
  readonly plan: Plan;
}

/** What each of its runs is given, under the key it is started with, and what has to come of it. */
interface Expected {
  readonly args?: (key: string) => JsonObject;
  /** The arg that is a file. */
  readonly takesFile?: string;
  /** What is sent while it is under way. */
  readonly events?: (key: string) => readonly SentEvent[];
  /** What a run that completes says for itself. */
  readonly outputs?: (key: string) => JsonObject;
}

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly key: JsonObject;
  readonly data: JsonObject;
  /** How many nodes of the run, and of its blocks, take it. */
  readonly takers: number;
}

interface StepSource {
  readonly id: string;
  readonly command?: string;
  readonly depends_on?: readonly unknown[];
  readonly [field: string]: unknown;
}

export const step = (id: string, depends_on: readonly string[] = [], more: object = {}): StepSource => ({
  id,
  command: `do ${id}`,
  depends_on,
  ...more,
});

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const chainOf = (ids: readonly string[], more: object = {}) =>
  ids.map((id, index) => step(id, index === 0 ? [] : ids.slice(index - 1, index), more));

export function sample(
  name: string,
  steps: readonly StepSource[],
  document: object = {},
  expected: Expected = {},
): Sample {
  const source = JSON.stringify({ name, ...document, steps });
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(`${name}: ${problems.map(({ message }) => message).join(" ")}`);
  return { name, source, plan, ...expected };
}

export const SAMPLES: readonly Sample[] = [
  sample("diamond", [
    step("a"),
    ...["b", "c", "d", "e"].map((id) => step(id, ["a"])),
    ...["f", "g", "h", "i"].map((id, index) => step(id, ["b", "c", "d", "e"].slice(index, index + 1))),
    step("j", ["f", "g", "h", "i"]),
  ]),
  sample("chain", chainOf(names("n", 20))),
  sample("fan-out", [
    step("root"),
    ...names("leaf", 30).map((id) => step(id, ["root"])),
    step("join", names("leaf", 30)),
  ]),
  sample(
    "each",
    [step("scan", [], { command: "scan ${item}", for_each: "list", max_parallel: 8 }), step("sum", ["scan"])],
    { args: { list: { type: "array", default: names("item ", 20) } } },
  ),
  sample("retry", [
    step("flaky", [], { on_failure: "retry", retry: { attempts: 4, backoff_ms: 20, max_backoff_ms: 60 } }),
    step("after", ["flaky"]),
  ]),
  sample("timeout", [step("stuck", [], { timeout: 1, on_failure: "skip" }), step("beside"), step("after", ["beside"])]),
  sample("approval", [
    step("draft"),
    { id: "gate", approval: "required", depends_on: ["draft"] },
    ...chainOf(["publish"], { depends_on: ["gate"] }),
  ]),
  // Answers come in through one replica while results come in through another: both advance the same run.
  sample("shared", [
    ...chainOf(names("work", 15)),
    ...names("gate", 4).flatMap((gate, index) => [
      { id: gate, approval: "required" },
      step(`after${index}`, [gate]),
      step(`end${index}`, [`after${index}`]),
    ]),
  ]),
  sample("once", [
    step("before"),
    step("pay", ["before"], { effects: "at_most_once", on_failure: "halt" }),
    step("receipt", ["pay"]),
  ]),
  sample("stream", [step("talk"), step("listen", ["talk"])]),
];

/** Waits for a person first, so that all streams are open when it begins to send. */
export const FOLLOWED: Sample = sample("followed", [
  { id: "gate", approval: "required" },
  ...names("side", 25).map((id, index) => step(id, [index === 0 ? "gate" : `side${index - 1}`])),
  step("talk", ["gate"]),
]);

/** Longer than a Bridge that is asked to stop waits for what it has begun. */
export const LENGTHY: Sample = sample("lengthy", [
  step("soon"),
  step("late"),
  step("once", [], { effects: "at_most_once" }),
  step("end", ["soon", "late"]),
]);

/** Whose answers never arrive. */
export const HOPELESS: Sample = sample("hopeless", [
  step("ask", [], { timeout: 1, on_failure: "retry", retry: { attempts: 10, backoff_ms: 10, max_backoff_ms: 20 } }),
]);

/** What the adapter answers: delays wide enough to be killed in, failures, silence, and a stream in pieces. */
export function scriptText(): string {
  const spread = (ids: readonly string[], from: number, width: number) =>
    Object.fromEntries(ids.map((id, index) => [id, { delay_ms: from + ((index * 37) % width) }]));
  const nodes = {
    ...prefixed("diamond", spread(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"], 5, 75)),
    ...prefixed("chain", spread(names("n", 20), 5, 40)),
    ...prefixed("fan-out", spread(["root", "join", ...names("leaf", 30)], 10, 70)),
    ...prefixed("each", spread(["scan", "sum"], 30, 40)),
    "retry/flaky": [
      { delay_ms: 20, fail: "provider_error" },
      { delay_ms: 30, fail: "provider_rate_limit", retry_after_ms: 40 },
      { delay_ms: 20 },
    ],
    "timeout/stuck": { hang: true },
    "timeout/beside": { delay_ms: 60, duplicate_callback: 3 },
    ...prefixed("shared", spread(names("work", 15), 5, 60)),
    ...prefixed("once", spread(["before", "pay", "receipt"], 40, 80)),
    ...prefixed("approval", spread(["draft", "publish"], 20, 60)),
    ...prefixed("followed", spread(names("side", 25), 5, 50)),
    "followed/talk": { chunks: names("piece ", 40), chunk_ms: 30 },
    "lengthy/soon": { delay_ms: 1_500 },
    "lengthy/once": { delay_ms: 1_500 },
    // Beyond the 8 s a Bridge waits when it is asked to stop, by more than a slow machine needs to ask it.
    "lengthy/late": { delay_ms: 15_000 },
    "stream/talk": { chunks: names("piece ", 6), chunk_ms: 25 },
    ...prefixed("rounds", spread(["improve", "poll", "end"], 60, 120)),
    ...prefixed("round-blocks", spread(["draft", "review", "end"], 60, 120)),
    ...prefixed("each-block", spread(["look", "ask", "confirm", "sum", "report", "close"], 40, 150)),
    ...prefixed("naps", spread(["woken", "up", "end", "last"], 20, 100)),
    ...prefixed("parcels", spread(["open", "fit", "end"], 30, 100)),
    ...prefixed("talk", spread(["think", "think_again", "end"], 200, 300)),
    ...prefixed("handled", spread(["refund", "note", "fast", "first", "help", "report", "end"], 50, 150)),
    "handled/pay": { delay_ms: 150, fail: "provider_auth" },
    "handled/try": { delay_ms: 100, fail: "provider_auth" },
    "handled/slow": { delay_ms: 2_500 },
  };
  return JSON.stringify({ seed: 7, default: "echo", nodes });
}

function prefixed(workflow: string, entries: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  return Object.fromEntries(Object.entries(entries).map(([id, entry]) => [`${workflow}/${id}`, entry]));
}
