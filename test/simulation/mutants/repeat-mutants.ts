import type { Repeat } from "../../../src/core/definition/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine } from "./mutant.ts";

type Plan = Parameters<(typeof REAL_ENGINE)["create"]>[0];

function withRepeat(change: (repeat: Repeat) => Partial<Repeat>) {
  const changed = (plan: Plan): Plan => ({
    ...plan,
    nodes: plan.nodes.map((node) =>
      node.repeat === null ? node : { ...node, repeat: { ...node.repeat, ...change(node.repeat) } },
    ),
  });
  return withEngine({
    create: (plan, runId) => REAL_ENGINE.create(changed(plan), runId),
    replay: (plan, runId, events) => REAL_ENGINE.replay(changed(plan), runId, events),
  });
}

export const REPEAT_MUTANTS: readonly Mutant[] = [
  {
    invariant: "repeat",
    bug: "a step has a round too many",
    options: () => withRepeat(({ max }) => ({ max: max + 1 })),
  },
  {
    invariant: "repeat",
    bug: "the pause between rounds is forgotten",
    options: () => withRepeat(() => ({ everyMs: null })),
  },
  {
    invariant: "repeat",
    bug: "rounds that are used up are taken as done",
    options: () => withRepeat(() => ({ onExhausted: "continue" })),
  },
  {
    invariant: "repeat",
    bug: "the condition is not judged before the last round",
    options: () => {
      const isEarly = /^round >= [0-3]$/u;
      return withRepeat(({ until }) => (isEarly.test(until.text) ? { until: { ...until, root: FALSE } } : {}));
    },
  },
  {
    invariant: "repeat",
    bug: "rounds are counted from 0",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "node.completed", (event) => {
          const { outputs } = event.payload;
          if (typeof outputs["rounds"] !== "number") return event;
          return { ...event, payload: { ...event.payload, outputs: { ...outputs, rounds: outputs["rounds"] - 1 } } };
        }),
      })),
  },
];

const FALSE: Repeat["until"]["root"] = { kind: "literal", value: false, position: 0 };
