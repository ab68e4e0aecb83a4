import type { Json } from "../../core/base/index.ts";
import type { Moderation } from "../../core/moderation/index.ts";

/** What is about to be sent, or has come back, and may have to be stopped. */
export interface ModerationRequest {
  readonly orgId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly phase: "input" | "output";
  readonly text: string;
  /** What goes with the text: inputs and stdin, or outputs. */
  readonly data?: Json;
}

/** Decides whether a text may pass. A promise that is rejected means no. */
export interface ContentCheck {
  moderate(request: ModerationRequest, signal: AbortSignal): Promise<Moderation>;
}
