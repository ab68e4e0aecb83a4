import { beforeAll, describe, expect, it } from "vitest";
import { type Campaign, playCampaign, seedsFrom } from "./campaign.ts";

/** A simulator whose runs hardly ever complete proves little: it would be looking at one way to fail, again and again. */
const CALM_SHARE_MIN = 0.8;
const SHARE_MIN = 0.5;
/** Far beyond what it takes; a slow machine must not make the campaign fail. */
const TIMEOUT_MS = 600_000;

/** The standing campaign, cut into several files so that every core has its part. */
export function testSchedules(first: number, count: number): void {
  describe(`schedules ${first} to ${first + count - 1}`, () => {
    let campaign: Campaign;
    beforeAll(() => {
      campaign = playCampaign(seedsFrom(first, count));
    }, TIMEOUT_MS);

    it("hold every invariant", () => {
      expect(campaign.broken).toEqual([]);
      expect(campaign.schedules).toBe(count);
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
