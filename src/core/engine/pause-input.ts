/** Pauses a run: nothing of it begins until it is resumed. */
export interface PauseInput {
  readonly type: "pause";
  readonly by?: string;
  readonly byId?: string;
  readonly reason?: string;
  /** True when the parent run, which waits for this one, was paused or resumed. */
  readonly isByParent?: true;
}

export interface ResumeInput extends Omit<PauseInput, "type"> {
  readonly type: "resume";
}
