import type { Collection } from "../../client/index.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../../core/base/index.ts";

/** A kind of object that is registered and edited with a manifest. */
export interface ManifestKind {
  readonly kind: string;
  readonly collection: Collection | "gateways";
  /** Name in the middle of a sentence: `a policy`. */
  readonly title: string;
  readonly permission: "registry:write" | "governance:write" | "run:delete" | "secret:write";
  /** Initial text of a new entry. */
  readonly sample: string;
  /** Purpose of the kind in one sentence. */
  readonly purpose: string;
  /** Texts for removal when it is more than a deletion: the verb, its past form, and the consequence. */
  readonly removal?: { readonly verb: string; readonly done: string; readonly follows: string };
}

/** Returns the noun of a kind without its article: `policy`. */
export function nounOf({ title }: ManifestKind): string {
  return title.replace(/^an? /, "");
}

/** Returns the entries of a kind in words: `credit plans`. */
export function pluralOf({ collection }: ManifestKind): string {
  if (collection === "library") return "library steps";
  return collection === "bindings" ? "role bindings" : collection.replace("-", " ");
}

export const KINDS = {
  policies: {
    kind: "Policy",
    collection: "policies",
    title: "a policy",
    permission: "governance:write",
    purpose: "A condition over what a node is about to do, and what follows when it holds.",
    sample:
      "category: guardrail\nscope: global\ncondition: node.action == 'financial'\naction: require_approval\nenforcement: hard\nreason: A person lets money go\n",
  },
  budgets: {
    kind: "Budget",
    collection: "budgets",
    title: "a budget",
    permission: "governance:write",
    purpose: "A ceiling for a scope and a period; reserved before a node acts, settled when it has reported.",
    sample: "scope: global\nperiod: daily\namount_usd: 25\nalert_at: [0.8, 1]\non_exhausted: block\n",
  },
  agents: {
    kind: "Agent",
    collection: "agents",
    title: "an agent",
    permission: "registry:write",
    purpose: "The actor a node runs as: its trust, autonomy and limits.",
    sample: "trust_level: 3\nautonomy: supervised\nmax_concurrent: 10\n",
  },
  gateways: {
    kind: "Gateway",
    collection: "gateways",
    title: "a gateway",
    permission: "registry:write",
    purpose: "A place where work is run: a Bridge with its adapters.",
    sample: "url: https://bridge.example.org\nmin_trust_level: 1\nproviders: [ai-sdk]\n",
  },
  webhooks: {
    kind: "Webhook",
    collection: "webhooks",
    title: "a webhook",
    permission: "registry:write",
    purpose: "Signed messages about events, sent to an outside address until they are accepted.",
    sample: 'url: https://example.org/sluice\nevents: [run.completed, run.failed]\nsecret: ""\n',
  },
  channels: {
    kind: "Channel",
    collection: "channels",
    title: "a channel",
    permission: "governance:write",
    purpose: "A way to people: approvals, reminders, failures and warnings by mail, Slack or Teams.",
    sample:
      "type: email\nhost: smtp.example.org\nfrom: sluice@example.org\nto: [approvers]\nnotify:\n  - on: approval.requested\n  - on: approval.escalated\n",
  },
  schedules: {
    kind: "Schedule",
    collection: "schedules",
    title: "a schedule",
    permission: "registry:write",
    purpose: "Starts a workflow at set times, one run per slot.",
    sample: 'workflow: my-workflow\ncron: "0 9 * * mon-fri"\ntimezone: UTC\noverlap: skip\nmissed: run_once\n',
  },
  triggers: {
    kind: "Trigger",
    collection: "triggers",
    title: "a trigger",
    permission: "registry:write",
    purpose: "Starts a workflow: at set times, on a message, on an event or from a form.",
    sample:
      'workflow: my-workflow\non:\n  hook:\n    verify: github\n    secret: ""\nfilter: body.action == "opened"\nargs:\n  title: "${body.issue.title}"\n',
  },
  lenses: {
    kind: "Lens",
    collection: "lenses",
    title: "a lens",
    permission: "registry:write",
    purpose: "A versioned prompt template with an input and an output contract.",
    sample:
      'versions:\n  - id: v1\n    template_body: "Summarise [[text]] in one sentence."\n    input_contract:\n      kind: text\n      fields:\n        text: { type: string, required: true }\n',
  },
  teams: {
    kind: "Team",
    collection: "teams",
    title: "a team",
    permission: "registry:write",
    purpose: "Agents that share the work of a run: who takes which node, and who follows when one fails.",
    sample: "members:\n  - agent: default\n    role: analyst\n    sort_order: 1\n",
  },
  library: {
    kind: "LibraryStep",
    collection: "library",
    title: "a library step",
    permission: "registry:write",
    purpose: "Fields of a step that workflows take over by name.",
    sample: "command: Summarise ${text} in one sentence.\non_failure: retry_once\n",
  },
  models: {
    kind: "Model",
    collection: "models",
    title: "a model",
    permission: "registry:write",
    purpose: "What a model costs, by its exact id.",
    sample: "provider: openai\ninput_usd_per_mtok: 1\noutput_usd_per_mtok: 4\n",
  },
  secrets: {
    kind: "Secret",
    collection: "secrets",
    title: "a secret",
    permission: "secret:write",
    purpose: "A value that is sealed and never shown again, and who gets it: secret://NAME stands for it.",
    sample: 'value: ""\nscopes: [gateway:local]\n',
  },
  "credit-plans": {
    kind: "CreditPlan",
    collection: "credit-plans",
    title: "a credit plan",
    permission: "governance:write",
    purpose: "What completed work is charged in credits: by its cost, or by its tokens.",
    sample: "credits_per_usd: 100\n",
  },
  retentions: {
    kind: "Retention",
    collection: "retentions",
    title: "a retention",
    permission: "run:delete",
    purpose: "How long runs, verdicts and transcripts are kept, and where runs go before they are deleted.",
    sample: "runs: 90d\nverdicts: 30d\ntranscripts: 30d\n",
  },
  tools: {
    kind: "Tool",
    collection: "tools",
    title: "a tool",
    permission: "governance:write",
    purpose: "What calls of a tool are, how often they may be made, and whether a person approves them.",
    sample: "name: payments/refund\naction: financial\neffects: at_most_once\napproval: required\n",
  },
  functions: {
    kind: "Function",
    collection: "functions",
    title: "a function",
    permission: "registry:write",
    purpose: "Code that workers run as a step, with what it takes and returns. Workers register theirs by themselves.",
    sample:
      "input:\n  type: object\n  properties: { cents: { type: integer } }\n  required: [cents]\n" +
      "output:\n  type: object\n  properties: { id: { type: string } }\n  required: [id]\naction: financial\neffects: at_most_once\n",
  },
  grants: {
    kind: "Grant",
    collection: "grants",
    title: "a grant",
    permission: "governance:write",
    purpose: "Calls of a tool that need no further approval, for one run or one agent, until a moment.",
    removal: {
      verb: "Revoke",
      done: "Revoked",
      follows: "From the next call on a person is asked again, in runs that have started as well. The audit notes it.",
    },
    sample: "tool: payments/refund\nwhere: tool.args.amount <= 50\nagent: default\nuntil: 2031-01-01T00:00:00Z\n",
  },
  deployments: {
    kind: "Deployment",
    collection: "deployments",
    title: "a deployment",
    permission: "registry:write",
    purpose: "Ties a workflow to a version, a gateway and the agents in its roles.",
    sample: "workflow: my-workflow\ngateway: local\nactive: true\n",
  },
  bindings: {
    kind: "RoleBinding",
    collection: "bindings",
    title: "a role binding",
    permission: "registry:write",
    purpose: "The agent that takes a role wherever it is named.",
    sample: "role: analyst\nagent: default\n",
  },
  alerts: {
    kind: "Alert",
    collection: "alerts",
    title: "an alert",
    permission: "registry:write",
    purpose: "Notifies a webhook when money, failures, approvals or gateways need a person.",
    sample: "on: budget\nthreshold: 0.8\nto: my-webhook\n",
  },
} as const satisfies Readonly<Record<string, ManifestKind>>;

/** Fields that the server adds to the fields of a manifest. */
const NOT_WRITTEN: ReadonlySet<string> = new Set([
  "id",
  "revision",
  "createdAt",
  "updatedAt",
  "phaseSince",
  "spentMicros",
  "reservedMicros",
  "periodStart",
  "periodEnd",
  "hookUrl",
  "formUrl",
  "savedBy",
]);
/** Maps whose keys and values the author chooses. They are shown unchanged. */
const OWN_VALUES: ReadonlySet<string> = new Set(["args", "with", "roleBindings", "match", "input", "output"]);
/** Maps whose keys the author chooses, while the values have a known shape. */
const OWN_KEYS: ReadonlySet<string> = new Set(["fields", "schema", "inputs", "outputs"]);
/** Fields that authors also write in camelCase. */
const CAMEL: ReadonlySet<string> = new Set(["minLength", "maxLength"]);

/** Converts an object from the API to the spec of a manifest, as an author would write it. */
function specOf(shown: JsonObject): JsonObject {
  return snakeMap(
    Object.fromEntries(Object.entries(shown).filter(([key, value]) => !NOT_WRITTEN.has(key) && value !== null)),
  );
}

/** Fields of a secret that the server adds: the version of its value and its last use. */
const NOT_WRITTEN_OF_SECRET: ReadonlySet<string> = new Set(["version", "lastUsedAt"]);

/** Converts an object of the given kind to its spec. */
export function specOfKind({ kind }: Pick<ManifestKind, "kind">, shown: JsonObject): JsonObject {
  if (kind !== "Secret") return specOf(shown);
  return specOf(Object.fromEntries(Object.entries(shown).filter(([key]) => !NOT_WRITTEN_OF_SECRET.has(key))));
}

/** Fields about health that the API adds to a gateway. */
const NOT_WRITTEN_OF_GATEWAY: ReadonlySet<string> = new Set(["status", "instanceId", "seenAt", "history"]);

export function gatewaySpecOf(shown: object): JsonObject {
  const written = Object.entries(shown).filter(([key]) => !NOT_WRITTEN_OF_GATEWAY.has(key));
  return specOf(Object.fromEntries(written));
}

function snakeMap(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [snakeCase(key), snakeMember(key, value)]));
}

function snakeMember(key: string, value: Json): Json {
  if (OWN_VALUES.has(key)) return value;
  if (OWN_KEYS.has(key) && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, snakeValue(member)]));
  }
  return snakeValue(value);
}

function snakeValue(value: Json): Json {
  if (isJsonArray(value)) return value.map(snakeValue);
  return isJsonObject(value) ? snakeMap(value) : value;
}

function snakeCase(key: string): string {
  return CAMEL.has(key) ? key : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
