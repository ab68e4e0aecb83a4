import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine } from "./mutant.ts";

export const BLOCK_MUTANTS: readonly Mutant[] = [
  {
    invariant: "block",
    bug: "a step forgets what its block hands on",
    options: () =>
      withEngine({
        advance: (state, input) =>
          REAL_ENGINE.advance(state, input.type === "child_finished" ? { ...input, outputs: {} } : input),
      }),
  },
  {
    invariant: "block",
    bug: "choose does not say which branch was taken",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.completed", (event) => {
          const { branch: _branch, ...outputs } = event.payload.outputs;
          return { ...event, payload: { ...event.payload, outputs } };
        }),
      })),
  },
  {
    invariant: "block-end",
    bug: "a step that ends the run ends its block alone",
    options: () =>
      withEngine({
        advance(state, input) {
          if (input.type !== "child_finished") return REAL_ENGINE.advance(state, input);
          const { ends: _ends, ...rest } = input;
          return REAL_ENGINE.advance(state, rest);
        },
      }),
  },
  {
    invariant: "block-carry",
    bug: "a recovered block begins anew",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "child.started", (event) => {
          const { sourceRunId: _source, ...payload } = event.payload;
          return { ...event, payload };
        }),
      })),
  },
  {
    invariant: "block-carry",
    bug: "a retry continues the block that failed",
    options: () =>
      tamper(({ state, events }) => ({
        events: rewrite(events, "child.started", (event) => {
          const { block, nodeId, attempt = 1 } = event.payload;
          if (block === undefined || attempt < 2) return event;
          return { ...event, payload: { ...event.payload, sourceRunId: `${state.runId}/${nodeId}` } };
        }),
      })),
  },
  {
    invariant: "finally",
    bug: "what comes last is forgotten",
    options: () =>
      withEngine({
        create: (plan, runId) => REAL_ENGINE.create({ ...plan, finally: null }, runId),
        replay: (plan, runId, events) => REAL_ENGINE.replay({ ...plan, finally: null }, runId, events),
      }),
  },
  {
    invariant: "finally",
    bug: "what comes last may fail unnoticed",
    options: () =>
      withEngine({
        advance: (state, input) =>
          REAL_ENGINE.advance(
            state,
            input.type === "child_finished" && input.nodeId === "finally" ? { ...input, status: "completed" } : input,
          ),
      }),
  },
];
