import { findNode } from "../../../src/core/engine/index.ts";
import { REAL_ENGINE } from "../engine.ts";
import { type Mutant, rewrite, tamper, withEngine, withExtra } from "./mutant.ts";

export const EVENT_MUTANTS: readonly Mutant[] = [
  {
    invariant: "events",
    bug: "an event that comes again is taken again",
    options: () =>
      tamper(({ state, input, events }) => {
        const node = input.type === "event" ? findNode(state, input.nodeId) : undefined;
        if (input.type !== "event" || node === undefined || events.length > 0) return null;
        const { id, type } = input.event;
        const payload = { nodeId: node.id, id, type };
        return { events: withExtra(events, state, input.at, { type: "event.received", payload }) };
      }),
  },
  {
    invariant: "events",
    bug: "an event is not taken",
    options: () =>
      withEngine({
        advance(state, input) {
          if (input.type !== "event") return REAL_ENGINE.advance(state, input);
          return { events: [], effects: [], refusal: { code: "not_waiting", message: "no" } };
        },
      }),
  },
  {
    invariant: "events",
    bug: "a node records another event than it was given",
    options: () =>
      tamper(({ events }) => ({
        events: rewrite(events, "event.received", (event) => ({ ...event, payload: { ...event.payload, id: "none" } })),
      })),
  },
  {
    invariant: "events",
    bug: "a block does not say what its steps have taken",
    options: () => withEngine({ eventsTakenByBlock: () => [] }),
  },
  {
    invariant: "events",
    bug: "a round of a block takes what the round before has taken",
    options: () =>
      tamper(({ effects }) => ({
        effects: effects.map((effect) => {
          if (effect.type !== "start-child") return effect;
          const { taken: _taken, ...rest } = effect;
          return rest;
        }),
      })),
  },
  {
    invariant: "moments",
    bug: "a wait ends when it begins",
    options: () =>
      withEngine({
        advance(state, input) {
          const result = REAL_ENGINE.advance(state, input);
          const effects = result.effects.map((effect) =>
            effect.type === "set-timer" && effect.timer.kind === "wait" ? { ...effect, dueAt: input.at } : effect,
          );
          return { ...result, effects };
        },
      }),
  },
  {
    invariant: "moments",
    bug: "the end of a wait is forgotten",
    options: () =>
      tamper(({ effects }) => ({
        effects: effects.filter((effect) => effect.type !== "set-timer" || effect.timer.kind !== "wait"),
      })),
  },
];
