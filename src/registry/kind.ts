import type { EntryKind } from "../store/index.ts";

/** The kinds of manifests, with the collection of each in the API: `agents/analyst`. */
export const MANIFEST_KINDS = {
  Agent: { entry: "agent", collection: "agents", title: "an agent" },
  Gateway: { entry: "gateway", collection: "gateways", title: "a gateway" },
  Deployment: { entry: "deployment", collection: "deployments", title: "a deployment" },
  Budget: { entry: "budget", collection: "budgets", title: "a budget" },
  Policy: { entry: "policy", collection: "policies", title: "a policy" },
  Lens: { entry: "lens", collection: "lenses", title: "a lens" },
  Team: { entry: "team", collection: "teams", title: "a team" },
  LibraryStep: { entry: "library", collection: "library", title: "a library step" },
  Schedule: { entry: "schedule", collection: "schedules", title: "a schedule" },
  Webhook: { entry: "webhook", collection: "webhooks", title: "a webhook" },
  Channel: { entry: "channel", collection: "channels", title: "a channel" },
  Model: { entry: "model", collection: "models", title: "a model" },
  CreditPlan: { entry: "credit_plan", collection: "credit-plans", title: "a credit plan" },
  Retention: { entry: "retention", collection: "retentions", title: "a retention" },
  Workflow: { entry: null, collection: "workflows", title: "a workflow" },
  Alert: { entry: "alert", collection: "alerts", title: "an alert" },
  Trigger: { entry: "trigger", collection: "triggers", title: "a trigger" },
  Tool: { entry: "tool", collection: "tools", title: "a tool" },
  Function: { entry: "function", collection: "functions", title: "a function" },
  Grant: { entry: "grant", collection: "grants", title: "a grant" },
  Secret: { entry: "secret", collection: "secrets", title: "a secret" },
  RoleBinding: { entry: "binding", collection: "bindings", title: "a role binding" },
} as const satisfies Readonly<
  Record<string, { readonly entry: EntryKind | null; readonly collection: string; readonly title: string }>
>;

export type ManifestKind = keyof typeof MANIFEST_KINDS;
/** All kinds but Workflow: workflows have versions and a table of their own. */
export type RegisteredKind = Exclude<ManifestKind, "Workflow">;

export function isManifestKind(text: string): text is ManifestKind {
  return Object.hasOwn(MANIFEST_KINDS, text);
}

export function entryKindOf(kind: RegisteredKind): EntryKind {
  return MANIFEST_KINDS[kind].entry;
}
