/** Events that steps wait for and emit, and signals to one run. */
import { z } from "zod";
import { LIMITS } from "../core/base/index.ts";
import { EVENT_TYPE, parseDuration } from "../core/definition/index.ts";
import { type Answered, type Asked, json, jsonObject, moment, word } from "./field.ts";
import { pageQuery } from "./page.ts";

const eventType = z.string().regex(EVENT_TYPE).describe("Letters, digits, . _ and -, such as order.paid");

/** Contains no slash, because ids of emitted events contain slashes. */
const eventId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .describe("Unique in the organisation: sending it again changes nothing. Made by the server when absent");

const keep = z
  .union([z.number(), z.string().max(20)])
  .refine(isKeepable, "a time above 0 and of at most 7 days, such as 2h")
  .describe(
    "How long it is kept for steps that begin to wait later: seconds, or 15m, 2h, 3d. At most 7 days; default 1 h",
  );

function isKeepable(value: number | string): boolean {
  const ms = parseDuration(value);
  return ms !== undefined && ms <= LIMITS.eventKeepMsMax;
}

const sending = {
  data: json.optional().describe("What waiting steps get: an object as outputs, anything else as `result`"),
  id: eventId.optional(),
  keep: keep.optional(),
};

export const eventBody = z.strictObject({
  type: eventType,
  key: jsonObject.optional().describe("Compared with `match` as a whole: same members, same values"),
  ...sending,
});
export type EventBody = Asked<typeof eventBody>;

export const eventsBody = z.union([eventBody, z.array(eventBody).min(1).max(LIMITS.eventsPerRequestMax)]);

export const signalBody = z.strictObject(sending);
export type SignalBody = Asked<typeof signalBody>;

export const keptEventSchema = z.object({
  id: z.string(),
  type: z.string(),
  key: jsonObject,
  data: json,
  sentBy: z.string().nullable().describe("The key or token that sent it, or the run that emitted it"),
  receivedAt: moment,
  keptUntil: moment,
});
export type KeptEvent = Answered<typeof keptEventSchema>;

export const receivedEventSchema = keptEventSchema.extend({
  isNew: z.boolean().describe("False: an event with this id had been received before, and stands"),
});
export type ReceivedEvent = Answered<typeof receivedEventSchema>;

export const receivedEventsSchema = z.object({ data: z.array(receivedEventSchema) });

export const keptEventsQuery = pageQuery.extend({ type: word.optional() });
