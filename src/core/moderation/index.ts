export { ALLOWED, type Moderation, type ModerationDecision, refused } from "./decision.ts";
export { createModerator, type Moderator } from "./moderator.ts";
export { DEFAULT_MODERATION, MODERATION_LIMITS, type ModerationRules, readModerationRules } from "./rules.ts";
