import { z } from "zod";
import type { Json, JsonObject } from "../../src/core/base/index.ts";
import { parseDuration } from "../../src/core/definition/index.ts";
import { keyDigest, signalTo } from "../../src/core/engine/index.ts";
import { DECISIONS, isRunEnding, type RunEvent } from "../../src/core/event/index.ts";
import { readSource } from "../../src/core/text/index.ts";
import type { NewEvent } from "../../src/store/index.ts";
import { type Children, Play } from "./play.ts";

const json: z.ZodType<Json> = z.json();
const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), json);
const duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms === null || ms === undefined) context.addIssue(`"${text}" is no duration`);
  return ms ?? 0;
});
const decision = z.enum(DECISIONS);

/** Something that comes from outside while the run is under way. */
const comingSchema = z.strictObject({
  at: duration,
  type: z.string().optional(),
  signal: z.string().optional(),
  key: jsonObject.default({}),
  data: json.default({}),
  keep: duration.optional(),
});

const caseSchema = z.strictObject({
  name: z.string(),
  args: jsonObject.default({}),
  /** By node, as in a script of answers. */
  answers: jsonObject.default({}),
  /** By node; default: approve, or retry. */
  approvals: z
    .record(z.string(), z.union([decision, z.strictObject({ decision, form: jsonObject.optional() })]))
    .default({}),
  events: z.array(comingSchema).default([]),
  /** When a person cancels the run. */
  cancel: duration.optional(),
  expect: z.strictObject({
    status: z.enum(["completed", "failed", "cancelled", "timed_out", "waiting"]),
    error: z.string().optional(),
    outputs: jsonObject.optional(),
    /** How nodes end, those of blocks and child runs included. */
    nodes: z.record(z.string(), z.string()).optional(),
    /** What happens in this order: "node started", "node blocked", "node skipped"; "node" alone means that it completes. */
    order: z.array(z.string()).optional(),
    never_called: z.array(z.string()).optional(),
    /** How many nodes are called at the same time at most. */
    in_flight_max: z.number().int().optional(),
  }),
});
const casesSchema = z.strictObject({ workflow: z.string(), cases: z.array(caseSchema).min(1) });

export type Case = z.output<typeof caseSchema>;
export type Cases = z.output<typeof casesSchema>;

export function readCases(text: string): Cases {
  const { tree, problems } = readSource(text);
  if (tree === null || problems.length > 0) throw new Error(JSON.stringify(problems));
  return casesSchema.parse(tree.value);
}

/** What became of a case, in the words of its expectation. */
export interface CaseResult {
  readonly status: string;
  readonly error: string | null;
  readonly outputs: JsonObject;
  readonly nodes: Readonly<Record<string, string>>;
  /** "node what", in the order of the commits of the whole family. */
  readonly happened: readonly string[];
  readonly inFlightMax: number;
}

/** Plays a case in virtual time: answers, approvals and events as it says. */
export async function playCase(source: string, children: Children, given: Case): Promise<CaseResult> {
  const seen: { runId: string; event: RunEvent }[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const play = new Play(source, {
    children,
    script: JSON.stringify({ nodes: given.answers }),
    onEvents: (runId, events) => {
      for (const event of events) {
        seen.push({ runId, event });
        if (runId === "run_1" && isRunEnding(event)) end();
      }
    },
    answer: async ({ nodeId, choices }) => {
      const wanted = given.approvals[nodeId ?? ""] ?? (choices.includes("approve") ? "approve" : "retry");
      const { decision: chosen, form } = typeof wanted === "string" ? { decision: wanted } : wanted;
      const entered = form === undefined ? {} : { form };
      return { decision: chosen, ...entered, by: "user:test", reason: "as the case says" };
    },
  });
  given.events.forEach((coming, index) =>
    play.clock.after(coming.at, () => void play.engine.receive(eventOf(coming, `evt_${index}`))),
  );
  if (given.cancel !== undefined) play.clock.after(given.cancel, () => play.engine.cancel());
  const settlement = await play.settle(given.args);
  const isFed = given.events.length > 0 || given.cancel !== undefined;
  const isOver = settlement.kind !== "waiting" || (isFed && (await passUnlessIdle(play, ended, given)));
  await play.stop();
  return resultOf(seen, isOver);
}

/** False: nothing more comes, and the run waits all the same. */
async function passUnlessIdle(play: Play, ended: Promise<void>, { expect: { status } }: Case): Promise<boolean> {
  // Time that passes without anything to do is not free: the driver looks for what is due in it.
  const patienceMs = status === "waiting" ? HOUR_MS : YEAR_MS;
  const last = new Promise<false>((resolve) => play.clock.after(patienceMs, () => resolve(false)));
  return play.pass(Promise.race([ended.then(() => true), last]));
}

const YEAR_MS = 365 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;

function eventOf({ type, signal, key, data, keep }: Case["events"][number], id: string): NewEvent {
  const about = signal === undefined ? { type: type ?? "", key } : signalTo("run_1", signal);
  const whole = { ...about.key };
  return {
    id,
    type: about.type,
    key: whole,
    keyDigest: keyDigest(whole),
    data,
    keepMs: keep ?? HOUR_MS,
    hops: 0,
    sentBy: null,
  };
}

const SETTLED = new Set(["completed", "failed", "skipped", "cancelled", "timed_out"]);

function resultOf(seen: readonly { runId: string; event: RunEvent }[], isOver: boolean): CaseResult {
  const nodes: Record<string, string> = {};
  const happened: string[] = [];
  const called = new Set<string>();
  let inFlightMax = 0;
  let result = { status: "waiting", error: null as string | null, outputs: {} as JsonObject };
  for (const { runId, event } of seen) {
    const { type, payload } = event;
    const what = type.slice(type.indexOf(".") + 1);
    if (runId === "run_1" && isOver && isRunEnding(event)) {
      const { errorCode, outputs } = payload as { errorCode?: string; outputs?: JsonObject };
      result = { status: what, error: errorCode ?? null, outputs: outputs ?? {} };
    }
    if (!type.startsWith("node.") || !("nodeId" in payload)) continue;
    const { nodeId } = payload;
    if (what === "started" || what === "blocked" || SETTLED.has(what)) happened.push(`${nodeId} ${what}`);
    if (SETTLED.has(what)) nodes[nodeId] = what;
    if (type === "node.started" && event.payload.verdictId !== null) called.add(`${runId} ${nodeId}`);
    if (SETTLED.has(what)) called.delete(`${runId} ${nodeId}`);
    inFlightMax = Math.max(inFlightMax, called.size);
  }
  return { ...result, nodes, happened, inFlightMax };
}

/** The first of `order` that did not happen after those before it; null: they all did. */
export function firstOutOfOrder(happened: readonly string[], order: readonly string[]): string | null {
  let place = 0;
  for (const one of order) {
    const wanted = one.includes(" ") ? one : `${one} completed`;
    const found = happened.indexOf(wanted, place);
    if (found === -1) return wanted;
    place = found + 1;
  }
  return null;
}
