import { beforeAll, describe, expect, it } from "vitest";
import { playSchedule } from "../../../test/simulation/schedule.ts";
import { dispatchIdOf, isRunEnding, isSettling, type RunEvent } from "../event/index.ts";
import { type RunIdentity, spansOf } from "./run-tracer.ts";
import { isEnded, type Span } from "./span.ts";
import { attemptSpanId } from "./span-id.ts";

const SCHEDULES = 250;

interface TracedRun {
  readonly run: RunIdentity;
  readonly log: readonly RunEvent[];
  readonly spans: readonly Span[];
}

const all: TracedRun[] = [];
beforeAll(() => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) {
    for (const { facts, log } of playSchedule(seed, { checkers: [], probes: [] }).runs) {
      const run = { runId: facts.runId, traceId: "a".repeat(32), rootSpanId: "b".repeat(16) };
      all.push({ run, log, spans: spansOf(run, log) });
    }
  }
});

describe("the spans of any log", () => {
  it("are one per attempt, per settled node, per end of the run, and per model and tool call", () => {
    for (const { run, log, spans } of all) {
      const ended = spans.filter(isEnded);
      const attempts = log.flatMap(({ type, payload }) =>
        type === "node.started"
          ? [attemptSpanId(dispatchIdOf({ runId: run.runId, nodeId: payload.nodeId, attempt: payload.attempt ?? 0 }))]
          : [],
      );
      const found = new Set(spans.map(({ spanId }) => spanId));
      expect(attempts.filter((id) => !found.has(id))).toEqual([]);
      const settled = log.filter(isSettling);
      expect(ended.filter(({ name }) => name.startsWith("node ")).length).toBe(settled.length);
      const ends = log.filter(isRunEnding).map(({ eventId }) => eventId);
      const roots = ended.filter(({ attributes }) => attributes.has("sluice.run.status"));
      expect(roots.map(({ endEventId }) => endEventId)).toEqual(ends);
      const inTurns = log.filter(isMadeInTurn).length;
      expect(ended.length).toBe(
        settled.length + ends.length + attempts.length + inTurns - (spans.length - ended.length - lastingOthers(spans)),
      );
    }
  });

  it("have an id each, a parent that exists, and lie within it", () => {
    for (const { spans, run } of all) {
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      expect(byId.size).toBe(spans.length);
      for (const span of spans) {
        expect(span.endedAt === null || span.endedAt >= span.startedAt).toBe(true);
        for (const { at } of span.events) {
          expect(at >= span.startedAt && (span.endedAt === null || at <= span.endedAt)).toBe(true);
        }
        if (span.parentSpanId === null) {
          const isFirst = span.spanId === run.rootSpanId;
          expect(isFirst || span.links.some(({ spanId }) => spanId === run.rootSpanId)).toBe(true);
          continue;
        }
        const parent = byId.get(span.parentSpanId);
        expect(parent, `${span.name} has a parent`).toBeDefined();
        expect(span.startedAt >= (parent?.startedAt ?? Infinity)).toBe(true);
        expect((parent?.endedAt ?? Infinity) >= (span.endedAt ?? Infinity), `${span.name} in ${parent?.name}`).toBe(
          true,
        );
      }
    }
  });

  it("are the same when the log is read again, and never change once they have ended", () => {
    for (const [index, { run, log, spans }] of all.entries()) {
      expect(spansOf(run, log)).toEqual(spans);
      const cut = (index * 7_919) % (log.length + 1);
      const ended = spansOf(run, log.slice(0, cut)).filter(isEnded);
      expect(spans.slice(0, ended.length)).toEqual(ended);
    }
  });

  it("were many enough to mean something", () => {
    const names = new Set(all.flatMap(({ spans }) => spans.flatMap(({ events }) => events.map(({ name }) => name))));
    for (const name of ["node.retried", "approval.resolved", "gate.decided", "node.expanded", "run.status.changed"]) {
      expect(names).toContain(name);
    }
    expect(all.length).toBeGreaterThan(SCHEDULES);
  });
});

/** A round or call of this run: neither carried from another, nor answered by a person. */
function isMadeInTurn({ type, payload }: RunEvent): boolean {
  if (type === "round.completed") return payload.carried !== true;
  return type === "tool.completed" && payload.carried !== true && payload.by === undefined;
}

/** Nodes and the run itself, while they last; what is left are attempts. */
function lastingOthers(spans: readonly Span[]): number {
  return spans.filter((span) => !isEnded(span) && !span.attributes.has("sluice.attempt")).length;
}
