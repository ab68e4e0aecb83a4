/** Nothing of the run begins until it is resumed. */
export interface PauseInput {
  readonly type: "pause";
  readonly by?: string;
  readonly byId?: string;
  readonly reason?: string;
  /** The run that waits for it is paused. */
  readonly isByParent?: true;
}

export interface ResumeInput extends Omit<PauseInput, "type"> {
  readonly type: "resume";
}
