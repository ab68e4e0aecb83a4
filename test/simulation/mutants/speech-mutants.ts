import type { Dispatch } from "../../../src/core/engine/index.ts";
import { NOWHERE } from "../../conformance/nowhere.ts";
import { type Mutant, rewrite, tamper, withExtra } from "./mutant.ts";

let lastDispatch: Dispatch | null = null;

export const SPEECH_MUTANTS: readonly Mutant[] = [
  {
    invariant: "E11",
    bug: "a node skipped for its condition starts",
    options: () =>
      tamper(({ state, input, events }) => {
        const skipped = events.at(-1);
        if (skipped?.type !== "node.skipped" || skipped.payload.reason !== "condition_false") return null;
        const payload = { nodeId: skipped.payload.nodeId, attempt: 1, wave: 0, ...NOWHERE };
        return { events: withExtra(events, state, input.at, { type: "node.started", payload }) };
      }),
  },
  {
    invariant: "E12",
    bug: "a cancel is followed by one more dispatch",
    options: () =>
      tamper(({ input, effects, events }) => {
        lastDispatch = effects.find((effect) => effect.type === "dispatch") ?? lastDispatch;
        if (input.type !== "cancel" || events.length === 0 || lastDispatch === null) return null;
        return { effects: [...effects, lastDispatch] };
      }),
  },
  {
    invariant: "E13",
    bug: "an id is left out",
    options: () =>
      tamper(({ events }) => {
        const last = events.at(-1);
        return last === undefined || events.length < 3
          ? null
          : { events: [...events.slice(0, -1), { ...last, eventId: last.eventId + 1 }] };
      }),
  },
  {
    invariant: "E13",
    bug: "a written event is changed afterwards",
    options: () => {
      let first: { costMicros: number } | null = null;
      return tamper(({ events }) => {
        for (const event of events) if (event.type === "node.completed") first ??= event.payload;
        if (first !== null && events.at(-1)?.type === "run.completed") first.costMicros += 1;
        return null;
      });
    },
  },
  {
    invariant: "E14",
    bug: "late cost is forgotten",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "cost.recorded", (event) =>
          event.payload.late === true ? { ...event, payload: { ...event.payload, costMicros: 0 } } : event,
        ),
      })),
  },
  {
    invariant: "E18",
    bug: "deltas are numbered within the attempt",
    options: () =>
      tamper(({ events, input }) => ({
        events: rewrite(events, "node.stream.delta", (event) => {
          const index = input.type === "stream" ? (input.deltas[0]?.index ?? 0) : 0;
          return { ...event, payload: { ...event.payload, deltaIndex: index } };
        }),
      })),
  },
  {
    invariant: "table",
    bug: "a backoff ends in failure",
    options: () =>
      tamper(({ events, input }) => {
        if (input.type !== "timer" || input.timer.kind !== "retry") return null;
        return {
          events: rewrite(events, "node.queued", ({ eventId, at, payload: { nodeId } }) => {
            const payload = { nodeId, errorCode: "timeout", errorMessage: "no", retryable: false };
            return { eventId, at, type: "node.failed", payload };
          }),
        };
      }),
  },
  {
    invariant: "schema",
    bug: "a start does not say its wave",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.started", (event) => ({ ...event, payload: { ...event.payload, wave: -1 } })),
      })),
  },
  {
    invariant: "ending",
    bug: "a failed run calls itself completed",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "run.failed", ({ eventId, at, payload: { counts, costMicros } }) => ({
          eventId,
          at,
          type: "run.completed",
          payload: { counts, costMicros },
        })),
      })),
  },
  {
    invariant: "approvals",
    bug: "an answer is not recorded",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "approval.resolved", ({ eventId, at, payload: { nodeId } }) => {
          const payload = { nodeId, level: "info", message: "answered" } as const;
          return { eventId, at, type: "node.log", payload };
        }),
      })),
  },
  {
    invariant: "retry",
    bug: "backoff is too short",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.retried", (event) => {
          const delayMs = Math.floor(event.payload.delayMs / 2);
          return { ...event, payload: { ...event.payload, delayMs } };
        }),
      })),
  },
];
