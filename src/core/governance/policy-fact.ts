import { ANY_OBJECT, closedObject, type Known, NUMBER, TEXT } from "../expression/index.ts";
import type { Policy } from "./registered.ts";

const TEXTS: Known = { kind: "list", items: TEXT };
const RATE = closedObject([
  ["count", NUMBER],
  ["perSeconds", NUMBER],
  ["per_seconds", NUMBER],
]);

/** Returns a fact under both names: camelCase, and snake_case as in manifests. */
function spelled(camel: string, snake: string, known: Known): readonly (readonly [string, Known])[] {
  return [
    [camel, known],
    [snake, known],
  ];
}

const AGENT = closedObject([
  ["id", TEXT],
  ["autonomy", TEXT],
  ["status", TEXT],
  ["lifecycle", TEXT],
  ["phase", TEXT],
  ["skills", TEXTS],
  ["capabilities", TEXTS],
  ["model", TEXT],
  ["provider", TEXT],
  ...spelled("trustLevel", "trust_level", NUMBER),
  ...spelled("executionTarget", "execution_target", TEXT),
  ...spelled("maxConcurrent", "max_concurrent", NUMBER),
  ...spelled("rateLimit", "rate_limit", RATE),
  ...spelled("mayRead", "may_read", TEXTS),
  ...spelled("maxAgeHours", "max_age_hours", NUMBER),
  ...spelled("dataClasses", "data_classes", TEXTS),
  ...spelled("budgetMonthlyUsd", "budget_monthly_usd", NUMBER),
  ...spelled("financialThresholdUsd", "financial_threshold_usd", NUMBER),
]);

const GATEWAY = closedObject([
  ["id", TEXT],
  ["status", TEXT],
  ["environment", TEXT],
  ...spelled("minTrustLevel", "min_trust_level", NUMBER),
]);

const RUN = closedObject([
  ["workflow", TEXT],
  ["depth", NUMBER],
  ["environment", TEXT],
  ["args", ANY_OBJECT],
]);

const NODE_FIELDS = [
  ["id", TEXT],
  ["kind", TEXT],
  ["action", TEXT],
  ["phase", TEXT],
  ["provider", TEXT],
  ["model", TEXT],
  ["tools", TEXTS],
] as const;

const ROLE = closedObject([
  ["name", TEXT],
  ["skills", TEXTS],
]);

const ADAPTER = closedObject([["turns", TEXT]]);

/** Facts that conditions of policies may use. `policySubject` supplies the values; a test checks that both match. */
const DISPATCH_FACTS = closedObject([
  ["agent", AGENT],
  ["gateway", GATEWAY],
  ["run", RUN],
  ["node", closedObject([...NODE_FIELDS, ["estimatedUsd", NUMBER]])],
  ["role", ROLE],
  ["adapter", ADAPTER],
  [
    "budget",
    closedObject([
      ["spentUsd", NUMBER],
      ["limitUsd", NUMBER],
      ["ratio", NUMBER],
    ]),
  ],
  ["context", closedObject([["sources", TEXTS]])],
]);

/** Facts that conditions of tool policies may use, supplied by `toolSubject`. */
const TOOL_FACTS = closedObject([
  ["agent", AGENT],
  ["gateway", GATEWAY],
  ["run", RUN],
  ["node", closedObject(NODE_FIELDS)],
  ["role", ROLE],
  ["adapter", ADAPTER],
  [
    "tool",
    closedObject([
      ["name", TEXT],
      ["server", TEXT],
      ["action", TEXT],
      ["args", ANY_OBJECT],
      ["calls", NUMBER],
      ["round", NUMBER],
    ]),
  ],
]);

/** Before a run exists, only its planned properties are known. */
const LAUNCH_FACTS = closedObject([["run", RUN]]);

export function policyFacts(category: Policy["category"]): typeof DISPATCH_FACTS {
  if (category === "tool") return TOOL_FACTS;
  return category === "run_creation" ? LAUNCH_FACTS : DISPATCH_FACTS;
}
