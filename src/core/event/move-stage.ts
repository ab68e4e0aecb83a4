/**
 * Stages of moving an organisation to another cell. `copying`: history is copied while everything runs ·
 * `freezing`: the source begins to refuse changes · `frozen`: the rest is copied and compared · `switching`: the target
 * has
 * everything, and the directory is updated · `removing`: the source is emptied · `withdrawing`: the move is abandoned; the
 * source accepts changes again, and the copy on the target is deleted.
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
