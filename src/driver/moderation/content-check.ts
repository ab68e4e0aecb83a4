import type { Json } from "../../core/base/index.ts";
import type { Moderation } from "../../core/moderation/index.ts";

/** A text to be moderated before it is sent, or after it has come back. */
export interface ModerationRequest {
  readonly orgId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly phase: "input" | "output";
  readonly text: string;
  /** Data sent with the text: inputs and stdin, or outputs. */
  readonly data?: Json;
}

/** Decides whether a text may pass. A rejected promise counts as a refusal. */
export interface ContentCheck {
  moderate(request: ModerationRequest, signal: AbortSignal): Promise<Moderation>;
}
