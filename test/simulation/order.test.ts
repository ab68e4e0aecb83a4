import { describe, expect, it } from "vitest";
import { Violation } from "./checkers/index.ts";
import { withEngine } from "./mutants/mutant.ts";
import { REAL_ENGINE } from "./engine.ts";
import { compareOrders } from "./order.ts";

const SEEDS = 1_200;
const ORDERS = 4;
/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;

describe("E8 any order of independent callbacks gives the same outcome", { timeout: TIMEOUT_MS }, () => {
  it("over many files, each played in several orders", () => {
    let compared = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const comparison = compareOrders(seed, ORDERS);
      if (comparison instanceof Violation) expect.fail(`order seed ${seed}: ${comparison.message}`);
      if (comparison === "same") compared += 1;
    }
    expect(compared).toBeGreaterThan(SEEDS / 4);
  });

  it("and an outcome that depends on the order is noticed", () => {
    const { engine } = withEngine({
      advance(state, input) {
        const result = REAL_ENGINE.advance(state, input);
        const events = result.events.map((event) =>
          event.type === "node.completed"
            ? { ...event, payload: { ...event.payload, outputs: { ...event.payload.outputs, order: event.eventId } } }
            : event,
        );
        return { ...result, events };
      },
    });
    const comparisons = Array.from({ length: 100 }, (_, seed) => compareOrders(seed, ORDERS, engine));
    expect(comparisons.some((it) => it instanceof Violation && it.invariant === "E8")).toBe(true);
  });
});
