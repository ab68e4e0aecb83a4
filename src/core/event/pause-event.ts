import { z } from "zod";

const pauseFields = {
  /** As people know them; absent: the engine did it. */
  by: z.string().optional(),
  byId: z.string().optional(),
  reason: z.string().optional(),
  /** With the run that waits for it. */
  isWithParent: z.literal(true).optional(),
};

export const PAUSE_PAYLOADS = {
  /** Nothing of the run begins until it is resumed; what is in flight ends. */
  "run.paused": z.object(pauseFields),
  "run.resumed": z.object(pauseFields),
};
