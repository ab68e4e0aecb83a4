import { describe, expect, it } from "vitest";
import { playCampaign, seedsFrom } from "./campaign.ts";
import { REGRESSION_SEEDS } from "./regressions.ts";

/** A simulator whose runs hardly ever complete proves little: it would be looking at one way to fail, again and again. */
const CALM_SHARE_MIN = 0.4;
const SHARE_MIN = 0.2;

/** The standing campaign, cut into several files so that every core has its part. */
export function testSchedules(first: number, count: number): void {
  describe(`schedules ${first} to ${first + count - 1}`, () => {
    const campaign = playCampaign([...REGRESSION_SEEDS, ...seedsFrom(first, count)]);

    it("hold every invariant", () => {
      expect(campaign.broken).toEqual([]);
      expect(campaign.schedules).toBe(REGRESSION_SEEDS.length + count);
    });

    it("meet everything that must sometimes happen", () => {
      expect(campaign.sometimes.missing()).toEqual([]);
    });

    it("complete often enough to prove something", () => {
      expect(campaign.calmShare).toBeGreaterThan(CALM_SHARE_MIN);
      expect(campaign.share).toBeGreaterThan(SHARE_MIN);
    });
  });
}
