import { z } from "zod";

const pauseFields = {
  /** Readable name of the caller. Absent when the engine did it. */
  by: z.string().optional(),
  byId: z.string().optional(),
  reason: z.string().optional(),
  /** Set when the run was paused or resumed with its parent run. */
  isWithParent: z.literal(true).optional(),
};

export const PAUSE_PAYLOADS = {
  /** Nothing of the run begins until it is resumed. Work in flight ends. */
  "run.paused": z.object(pauseFields),
  "run.resumed": z.object(pauseFields),
};
