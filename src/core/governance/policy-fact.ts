import { ANY_OBJECT, closedObject, type Known, NUMBER, TEXT } from "../expression/index.ts";
import type { Policy } from "./registered.ts";

const TEXTS: Known = { kind: "list", items: TEXT };
const RATE = closedObject([
  ["count", NUMBER],
  ["perSeconds", NUMBER],
  ["per_seconds", NUMBER],
]);

/** Both spellings of a fact that manifests write in snake_case. */
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

/** What conditions of policies may speak about. `policySubject` gives the values; a test holds the two together. */
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

/** The same for `toolSubject`. */
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

/** Before a run exists there is only what it would be. */
const LAUNCH_FACTS = closedObject([["run", RUN]]);

export function policyFacts(category: Policy["category"]): typeof DISPATCH_FACTS {
  if (category === "tool") return TOOL_FACTS;
  return category === "run_creation" ? LAUNCH_FACTS : DISPATCH_FACTS;
}
