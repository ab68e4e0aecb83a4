import { describe, expect, it } from "vitest";
import type { Run, Workflow } from "../../../client/index.ts";
import { runBars, cardsOf, chooseCards } from "./cards.ts";

const workflow = (name: string, status = "active"): Workflow => ({ name, status }) as Workflow;
const run = (id: string, of: string, status: string, costMicros: number, seconds: number): Run =>
  ({
    id,
    workflow: of,
    status,
    costMicros,
    createdAt: `2026-11-15T00:00:0${seconds}Z`,
    startedAt: "2026-11-15T00:00:00Z",
    completedAt: `2026-11-15T00:00:0${seconds}Z`,
  }) as Run;

const cards = cardsOf(
  [workflow("beta"), workflow("alpha", "paused"), workflow("gamma")],
  [run("r3", "beta", "failed", 5, 8), run("r2", "beta", "completed", 1, 4), run("r1", "alpha", "completed", 20, 2)],
);
const names = (chosen: typeof cards): string[] => chosen.map((card) => card.workflow.name);

describe("workflow cards", () => {
  it("sum up the last runs", () => {
    expect(cards[0]).toMatchObject({ failures: 1, costMicros: 6, lastRunAt: "2026-11-15T00:00:08Z" });
    expect(cards[0]?.runs.map(({ id }) => id)).toEqual(["r2", "r3"]);
    expect(runBars(cards[0]?.runs ?? []).map(({ size }) => size)).toEqual([0.5, 1]);
  });

  it("are found, filtered and ordered", () => {
    expect(names(chooseCards(cards, "", null, "name"))).toEqual(["alpha", "beta", "gamma"]);
    expect(names(chooseCards(cards, "", null, "cost"))).toEqual(["alpha", "beta", "gamma"]);
    expect(names(chooseCards(cards, "", null, "last run"))).toEqual(["beta", "alpha", "gamma"]);
    expect(names(chooseCards(cards, "", "paused", "name"))).toEqual(["alpha"]);
    expect(names(chooseCards(cards, "gam", null, "name"))).toEqual(["gamma"]);
  });
});
