/**
 * How far an organisation has come on its way to another cell. `copying`: history goes over while everything runs ·
 * `freezing`: the source begins to refuse changes · `frozen`: the rest goes over and is compared · `switching`: the target has
 * it all, and the directory learns of it · `removing`: the source is emptied · `withdrawing`: the move is given up; the source
 * takes changes again, and what the target has is deleted.
 */
export const MOVE_STAGES = [
  "copying",
  "freezing",
  "frozen",
  "switching",
  "removing",
  "withdrawing",
  "done",
  "failed",
] as const;
export type MoveStage = (typeof MOVE_STAGES)[number];
