/** Pauses: their scope, the person who paused, and the reason. */
import { z } from "zod";
import { PAUSE_SCOPES } from "../core/event/index.ts";
import { type Answered, moment } from "./field.ts";

const who = {
  by: z.string().nullable().describe("As people know them"),
  reason: z.string().nullable(),
  at: moment,
};

export const pauseSchema = z.object(who);
export type PauseView = Answered<typeof pauseSchema>;

/** The pause of a run. */
export const runPauseSchema = z.object({
  ...who,
  scope: z
    .enum(PAUSE_SCOPES)
    .describe("What was paused: the run itself, the run that waits for it, its workflow, or the whole organisation"),
});
