import { type Moderation, refused } from "../../core/moderation/index.ts";
import type { ContentCheck, ModerationRequest } from "./content-check.ts";

export const UNAVAILABLE = "moderation_unavailable";

/** Returns a refusal for a text that could not be judged. */
export function unavailable(why: string): Moderation {
  const detail = `The text was not judged, so it does not pass: ${why}`;
  return refused({ rule: "adapter", category: UNAVAILABLE, detail });
}

/** Asks a gateway that may throw or return an invalid answer. Only a valid "allowed" lets a text pass. */
export async function moderateSafely(
  gateway: ContentCheck,
  request: ModerationRequest,
  signal: AbortSignal,
): Promise<Moderation> {
  try {
    const answer: unknown = await gateway.moderate(request, signal);
    return isModeration(answer) ? answer : unavailable("the moderation gateway gave an answer that is none.");
  } catch (error) {
    return unavailable(`the moderation gateway failed (${nameOf(error)}).`);
  }
}

function isModeration(answer: unknown): answer is Moderation {
  if (typeof answer !== "object" || answer === null || !Object.hasOwn(answer, "allowed")) return false;
  const { allowed, decision } = answer as { readonly allowed: unknown; readonly decision?: unknown };
  return allowed === true || (allowed === false && typeof decision === "object" && decision !== null);
}

/** Returns only the kind of error: its message may repeat the judged text. */
function nameOf(error: unknown): string {
  return error instanceof Error ? error.name.slice(0, 80) : typeof error;
}
