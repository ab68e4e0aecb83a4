import { causeOf, FAILURE_CLASSES, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { EventOf, RunEvent } from "../event/index.ts";
import { hideInJson } from "../redaction/index.ts";
import { isoFromEpochMs } from "../view/index.ts";
import { RunPaths } from "./run-paths.ts";

/** The log of one run of a family. The first run of the family is the recorded one; the others follow the runs that started them. */
export interface RecordedRun {
  readonly runId: string;
  readonly log: readonly RunEvent[];
}

type Entry = Record<string, Json>;

/**
 * Records everything a case needs to repeat a run: args, answers of adapters and people, events, and their times. Names
 * of people are left out, and text that looks like a credential is hidden.
 */
export function recordRun(family: readonly RecordedRun[]): JsonObject {
  const [root] = family;
  const [first] = root?.log ?? [];
  if (root === undefined || first?.type !== "run.started") return {};
  const paths = new RunPaths();
  const nodes: Record<string, Entry[]> = {};
  const approvals: Record<string, Entry[]> = {};
  const events: Entry[] = [];
  for (const { runId, log } of family) {
    for (const event of log) paths.take(runId, event);
    const path = paths.of(runId);
    for (const [nodeId, entries] of answersIn(log)) nodes[`${path}${nodeId}`] = entries;
    for (const [nodeId, entry] of approvalsIn(log)) (approvals[`${path}${nodeId}`] ??= []).push(entry);
    for (const event of eventsIn(log, first.at)) events.push(event);
  }
  const document: JsonObject = {
    run: root.runId,
    workflow: first.payload.workflow,
    clock: isoFromEpochMs(first.at),
    args: first.payload.args,
    answers: { nodes },
    ...(Object.keys(approvals).length === 0 ? {} : { approvals }),
    ...(events.length === 0 ? {} : { events }),
  };
  return hideInJson(document) as JsonObject;
}

const FAILURES: ReadonlySet<string> = new Set(FAILURE_CLASSES);

/** A script has no functions and no network: their failures are repeated as those of a provider, which are retried alike. */
function scriptedFailure(code: string): string | null {
  if (FAILURES.has(code)) return code;
  return causeOf(code) === "provider_error" ? "provider_error" : null;
}

/** Returns the answers by node, with one entry per attempt that an adapter answered. */
function answersIn(log: readonly RunEvent[]): ReadonlyMap<string, Entry[]> {
  const sent = new Set<string>();
  const answers = new Map<string, Entry[]>();
  const put = (nodeId: string, entry: Entry): void => {
    if (sent.has(nodeId)) answers.set(nodeId, [...(answers.get(nodeId) ?? []), entry]);
  };
  for (const { type, payload } of log) {
    if (type === "node.started" && payload.provider !== null) sent.add(payload.nodeId);
    if (type === "node.retried" || type === "node.failed" || type === "node.timed_out") {
      const fail = scriptedFailure(payload.errorCode);
      // The log does not contain an answer that did not fit its contract, so another answer that does not fit replaces it.
      put(payload.nodeId, fail === null ? { raw: "" } : { fail, message: payload.errorMessage });
    }
    if (type === "node.completed" && payload.carried !== true) put(payload.nodeId, answerOf(payload, log));
  }
  return answers;
}

function answerOf(payload: EventOf<"node.completed">["payload"], log: readonly RunEvent[]): Entry {
  const { nodeId, envelope, outputs, costMicros, inputTokens, outputTokens } = payload;
  const rounds = roundsOf(nodeId, log);
  if (rounds.length > 0) return { rounds };
  const bill = billOf({ costMicros, inputTokens, outputTokens });
  const isSpoken = Object.keys(outputs).length === 0;
  return { stdout: envelope.output, ...(isSpoken ? {} : { outputs }), ...bill };
}

function billOf({
  costMicros,
  inputTokens,
  outputTokens,
}: Pick<EventOf<"round.completed">["payload"], "costMicros" | "inputTokens" | "outputTokens">): Entry {
  return {
    ...(costMicros > 0 ? { cost_usd: costMicros / 1_000_000 } : {}),
    ...(inputTokens + outputTokens > 0 ? { tokens: { input: inputTokens, output: outputTokens } } : {}),
  };
}

/** Returns the rounds of a node's turn: the model's text, its tool calls, and the result of each call. */
function roundsOf(nodeId: string, log: readonly RunEvent[]): Entry[] {
  const results = new Map<string, EventOf<"tool.completed">["payload"]>();
  const asked = new Map<number, string[]>();
  const rounds = new Map<number, EventOf<"round.completed">["payload"]>();
  for (const { type, payload } of log) {
    if (!("nodeId" in payload) || payload.nodeId !== nodeId) continue;
    if (type === "round.completed") rounds.set(payload.round, payload);
    if (type === "tool.requested") asked.set(payload.round, [...(asked.get(payload.round) ?? []), payload.callId]);
    if (type === "tool.completed") results.set(payload.callId, payload);
  }
  return [...rounds].map(([round, { text, calls, ...bill }]) => ({
    ...billOf(bill),
    ...(text === "" ? {} : { text }),
    ...(calls.length === 0
      ? {}
      : {
          calls: calls.map(({ tool, server, args }, position): JsonObject => {
            const ended = results.get(asked.get(round)?.[position] ?? "");
            const named = server === undefined ? { tool, args } : { tool, server, args };
            if (ended === undefined) return named;
            return ended.isError ? { ...named, fail: textOf(ended.result) } : { ...named, result: ended.result };
          }),
        }),
  }));
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function* approvalsIn(log: readonly RunEvent[]): Generator<readonly [string, Entry]> {
  const askedAt = new Map<string, number>();
  for (const { type, at, payload } of log) {
    if (type === "approval.requested") askedAt.set(payload.approvalId, at);
    if (type !== "approval.resolved" || payload.decision === undefined) continue;
    const { decision, form, approvalId, nodeId } = payload;
    const waited = Math.round((at - (askedAt.get(approvalId) ?? at)) / 1_000);
    yield [
      nodeId,
      { decision, ...(form === undefined ? {} : { form }), ...(waited > 0 ? { after: `${waited}s` } : {}) },
    ];
  }
}

/** Returns the received events. The data of an event is recovered from the outputs of the node that received it. */
function* eventsIn(log: readonly RunEvent[], startedAt: number): Generator<Entry> {
  const awaited = new Map<string, { readonly type: string; readonly key: JsonObject }>();
  const taken = new Map<string, number>();
  for (const { type, at, payload } of log) {
    if (type === "node.blocked" && payload.event !== undefined) awaited.set(payload.nodeId, payload.event);
    if (type === "event.received") taken.set(payload.nodeId, at);
    if (type !== "node.completed" || !taken.has(payload.nodeId)) continue;
    const event = awaited.get(payload.nodeId);
    if (event === undefined) continue;
    const seconds = Math.round(((taken.get(payload.nodeId) ?? at) - startedAt) / 1_000);
    const [, signal] = /^signal:(.*)$/.exec(event.type) ?? [];
    const named = signal === undefined ? { type: event.type, key: event.key } : { signal };
    yield { ...named, data: dataOf(payload.outputs), ...(seconds > 0 ? { after: `${seconds}s` } : {}) };
  }
}

/** Data that is not an object is stored under the single name `result`, so it is unwrapped here. */
function dataOf(outputs: JsonObject): Json {
  const { result } = outputs;
  return result !== undefined && Object.keys(outputs).length === 1 && !isJsonObject(result) ? result : outputs;
}
