import { getOwn } from "../../core/base/index.ts";
import type { FieldWords } from "../form/form-context.ts";

const TITLES: Readonly<Record<string, string>> = {
  amount_usd: "Ceiling in US dollars",
  alert_at: "Warn at (0.8 is 80 %)",
  on_exhausted: "When it is exhausted",
  scope_id: "Which one",
  budget_monthly_usd: "Monthly budget in US dollars",
  financial_threshold_usd: "Pays by itself up to, in US dollars",
  max_spend_usd: "Spends at most, in US dollars",
  input_usd_per_mtok: "US dollars for a million input tokens",
  output_usd_per_mtok: "US dollars for a million output tokens",
  cached_usd_per_mtok: "US dollars for a million cached tokens",
  credits_per_usd: "Credits for a US dollar",
  every_seconds: "Every so many seconds",
  may_read: "Sources it may read",
  url: "Address",
  is_active: "Active",
};
const HINTS: Readonly<Record<string, string>> = {
  secret: "Kept, and not shown again.",
  value: "Kept, and never shown again; type a new one to replace it.",
};
const EXPRESSIONS: ReadonlySet<string> = new Set(["condition", "filter", "where"]);
const SECRETS: ReadonlySet<string> = new Set([
  "value",
  "secret",
  "token",
  "password",
  "signing_secret",
  "dispatch_token",
  "callback_token",
]);
/** Fields that define their entry. When emptied, they keep an empty text and are not removed. */
const DEFINING: ReadonlySet<string> = new Set(["condition", "workflow", "url", "tool", "command", "agent", "role"]);
const ROWS: Readonly<Record<string, number>> = {
  command: 4,
  system_prompt: 4,
  instructions: 4,
  system_prompt_patch: 4,
  personality_note: 2,
  template_body: 5,
  description: 2,
  reason: 2,
};

/** Facts about the keys of manifests that their schemas do not contain. */
export const SPEC_WORDS: FieldWords = {
  titleOf: (key) => getOwn(TITLES, key),
  hintOf: (key) => getOwn(HINTS, key),
  rowsOf: (key) => getOwn(ROWS, key) ?? (EXPRESSIONS.has(key) ? 2 : 1),
  nounOf: (key) => (key === "args" ? "arg" : "entry"),
  isExpression: (key) => EXPRESSIONS.has(key),
  isCode: () => false,
  isFilled: () => false,
  isSecret: (key) => SECRETS.has(key),
  isDefining: (key) => DEFINING.has(key),
};
