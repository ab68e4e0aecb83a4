import { nextSlotsSchema, pageQuery, type Slot, slotPageSchema, timingQuery } from "../../contract/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import { calendarTiming, getRegistered, scheduleOf } from "../../registry/index.ts";
import type { ScheduleSlot } from "../../store/index.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";

const NEXT_COUNT = 5;

export const scheduleRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/schedules/{id}/slots",
    operation: "schedules.slots",
    summary: "Lists the past slots of a schedule with their results, newest first, and its next slots.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: slotPageSchema } },
    handle: async ({ services, principal, params, query }) => {
      const { store, config } = services;
      const { id = "" } = params;
      const entry = await getRegistered(store, principal.orgId, "Schedule", id);
      if (entry === undefined) throw new Refused("unknown_schedule", `There is no schedule "${id}".`);
      const page = await store.listSlots(principal.orgId, id, pageOf(query));
      const { isEnabled, on } = scheduleOf(entry);
      const next = isEnabled ? config.nextSlots(on.timing, config.now() + 1, NEXT_COUNT) : [];
      return json({ ...listOnWire(page, slotOnWire), nextSlots: next.map(isoFromEpochMs) });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/next-slots",
    operation: "schedules.preview",
    summary: "Lists the next times of a cron expression, without a schedule.",
    permission: "governance:read",
    query: timingQuery,
    replies: { 200: { description: "The next five times", schema: nextSlotsSchema } },
    handle: async ({ services: { config }, query: { cron, timezone } }) => {
      const timing = calendarTiming(cron, timezone);
      if (timing === null) {
        throw new Refused(
          "invalid_request",
          `"${cron}" in "${timezone}" is no cron in a time zone, such as "0 9 * * mon-fri" in "UTC".`,
        );
      }
      const next = config.nextSlots(timing, config.now() + 1, NEXT_COUNT);
      return json({ nextSlots: next.map(isoFromEpochMs) });
    },
  }),
];

function slotOnWire({ slotAt, state, workflow, runId, reason, claimedAt }: ScheduleSlot): Slot {
  return { slotAt: isoFromEpochMs(slotAt), state, workflow, runId, reason, claimedAt: isoFromEpochMs(claimedAt) };
}
