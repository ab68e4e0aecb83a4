/** The slots of schedules. */
import { z } from "zod";
import type { Answered } from "./field.ts";
import { listOf } from "./page.ts";

const moment = z.iso.datetime();

/** The state of a slot: `claimed` while its run is being started, `queued` while it waits for the previous run. */
export const slotStateSchema = z.enum(["claimed", "queued", "started", "skipped", "refused"]);

export const slotSchema = z.object({
  slotAt: moment.describe("Time at which the slot was due"),
  state: slotStateSchema,
  workflow: z.string(),
  runId: z.string().nullable(),
  reason: z.string().nullable().describe("Reason why no run was started"),
  claimedAt: moment.describe("Time at which a replica last claimed the slot"),
});
export type Slot = Answered<typeof slotSchema>;

export const slotPageSchema = listOf(slotSchema).extend({
  nextSlots: z.array(moment).describe("Next slots of the current schedule; empty while it is disabled"),
});
export type SlotPage = Answered<typeof slotPageSchema>;

export const timingQuery = z.strictObject({
  cron: z.string().max(200).describe("Minute, hour, day of the month, month, day of the week"),
  timezone: z.string().max(64).default("UTC"),
});
export type TimingQuery = z.input<typeof timingQuery>;

export const nextSlotsSchema = z.object({ nextSlots: z.array(moment).describe("At most five slots, earliest first") });
export type NextSlots = Answered<typeof nextSlotsSchema>;
