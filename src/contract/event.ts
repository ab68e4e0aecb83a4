/** Events that steps wait for and emit, and signals to one run. */
import { z } from "zod";
import { LIMITS } from "../core/base/index.ts";
import { EVENT_TYPE, parseDuration } from "../core/definition/index.ts";
import { type Answered, type Asked, json, jsonObject, moment, word } from "./field.ts";
import { pageQuery } from "./page.ts";

const eventType = z.string().regex(EVENT_TYPE).describe("Event type: letters, digits, . _ and -, such as order.paid");

/** Contains no slash, because ids of emitted events contain slashes. */
const eventId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/)
  .describe("Id of the event, unique in the organisation. Sending it again has no effect. Default: made by the server");

const keep = z
  .union([z.number(), z.string().max(20)])
  .refine(isKeepable, "a time above 0 and of at most 7 days, such as 2h")
  .describe(
    "Time the event is stored for steps that begin to wait later: seconds, or 15m, 2h, 3d. At most 7 days; default: 1 h",
  );

function isKeepable(value: number | string): boolean {
  const ms = parseDuration(value);
  return ms !== undefined && ms <= LIMITS.eventKeepMsMax;
}

const sending = {
  data: json
    .optional()
    .describe("Content for waiting steps: an object becomes their outputs, any other value their output `result`"),
  id: eventId.optional(),
  keep: keep.optional(),
};

export const eventBody = z.strictObject({
  type: eventType,
  key: jsonObject
    .optional()
    .describe("Key of the event. A waiting step receives it when its `match` has exactly the same members and values"),
  ...sending,
});
export type EventBody = Asked<typeof eventBody>;

export const eventsBody = z.union([eventBody, z.array(eventBody).min(1).max(LIMITS.eventsPerRequestMax)]);

export const signalBody = z.strictObject({
  ...sending,
  id: eventId
    .describe(
      "Id of the signal, unique for its run and name. Sending it again has no effect. Default: made by the server",
    )
    .optional(),
});
export type SignalBody = Asked<typeof signalBody>;

export const keptEventSchema = z.object({
  id: z.string(),
  type: z.string(),
  key: jsonObject,
  data: json,
  sentBy: z.string().nullable().describe("Key or token that sent the event, or run that emitted it"),
  receivedAt: moment,
  keptUntil: moment,
});
export type KeptEvent = Answered<typeof keptEventSchema>;

export const receivedEventSchema = keptEventSchema.extend({
  isNew: z.boolean().describe("`false` when an event with this id was received before; the earlier event is kept"),
});
export type ReceivedEvent = Answered<typeof receivedEventSchema>;

export const receivedEventsSchema = z.object({ data: z.array(receivedEventSchema) });

export const keptEventsQuery = pageQuery.extend({ type: word.optional() });
