/** Pauses: their scope, the person who paused, and the reason. */
import { z } from "zod";
import { PAUSE_SCOPES } from "../core/event/index.ts";
import { type Answered, moment } from "./field.ts";

const who = {
  by: z.string().nullable().describe("Name of the person or key"),
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
    .describe("Level of the pause: the run itself, its parent run, its workflow, or the organisation"),
});
