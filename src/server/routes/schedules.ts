import { z } from "zod";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { getRegistered, scheduleOf } from "../../registry/index.ts";
import { SLOT_STATES, type ScheduleSlot } from "../../store/index.ts";
import { pageOf, pageQuery } from "../listing.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { listOf } from "../schemas.ts";
import { listOnWire } from "../wire.ts";

const NEXT_COUNT = 5;

const moment = z.iso.datetime();

const slotSchema = z.object({
  slotAt: moment.describe("When it was due"),
  state: z.enum(SLOT_STATES),
  workflow: z.string(),
  runId: z.string().nullable(),
  reason: z.string().nullable().describe("Why nothing was started"),
  claimedAt: moment.describe("When somebody last took it up"),
});

const slotsSchema = listOf(slotSchema).extend({
  nextSlots: z.array(moment).describe("The next slots of the schedule as it is now; none while it is disabled"),
});

export const scheduleRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/schedules/{id}/slots",
    operation: "schedules.slots",
    summary: "Lists what became of the slots of a schedule, newest first, and which come next.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: slotsSchema } },
    handle: async ({ services, principal, params, query }) => {
      const { store, config } = services;
      const { id = "" } = params;
      const entry = await getRegistered(store, principal.orgId, "Schedule", id);
      if (entry === undefined) throw new Refused("unknown_schedule", `There is no schedule "${id}".`);
      const page = await store.listSlots(principal.orgId, id, pageOf(query));
      const { isEnabled, timing } = scheduleOf(entry);
      const next = isEnabled ? config.nextSlots(timing, config.now() + 1, NEXT_COUNT) : [];
      return json({ ...listOnWire(page, slotOnWire), nextSlots: next.map(isoFromEpochMs) });
    },
  }),
];

function slotOnWire({ slotAt, state, workflow, runId, reason, claimedAt }: ScheduleSlot): z.output<typeof slotSchema> {
  return { slotAt: isoFromEpochMs(slotAt), state, workflow, runId, reason, claimedAt: isoFromEpochMs(claimedAt) };
}
