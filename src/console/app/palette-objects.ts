import type { Collection, SluiceClient } from "../../client/index.ts";
import { everyPage } from "../live/every-page.ts";
import type { IconName } from "../parts/icon.tsx";

/** An object with a name and an address. */
export interface NamedObject {
  readonly label: string;
  readonly kind: string;
  readonly icon: IconName;
  readonly path: string;
}

interface ObjectKind {
  readonly kind: string;
  readonly icon: IconName;
  readonly base: string;
}

const KINDS: Readonly<Record<Collection, ObjectKind>> = {
  agents: { kind: "Agent", icon: "user", base: "/governance/agents" },
  policies: { kind: "Policy", icon: "gate", base: "/governance/policies" },
  budgets: { kind: "Budget", icon: "chart", base: "/governance/budgets" },
  lenses: { kind: "Lens", icon: "search", base: "/settings/lenses" },
  teams: { kind: "Team", icon: "user", base: "/settings/teams" },
  library: { kind: "Library step", icon: "workflow", base: "/settings/library" },
  schedules: { kind: "Schedule", icon: "clock", base: "/settings/schedules" },
  triggers: { kind: "Trigger", icon: "clock", base: "/settings/triggers" },
  webhooks: { kind: "Webhook", icon: "external", base: "/settings/webhooks" },
  channels: { kind: "Channel", icon: "external", base: "/settings/channels" },
  models: { kind: "Model", icon: "settings", base: "/settings/models" },
  secrets: { kind: "Secret", icon: "gate", base: "/settings/secrets" },
  "credit-plans": { kind: "Credit plan", icon: "chart", base: "/settings/credit-plans" },
  retentions: { kind: "Retention", icon: "clock", base: "/settings/retentions" },
  functions: { kind: "Function", icon: "settings", base: "/settings/functions" },
  tools: { kind: "Tool", icon: "settings", base: "/settings/tools" },
  grants: { kind: "Grant", icon: "gate", base: "/settings/grants" },
  deployments: { kind: "Deployment", icon: "workflow", base: "/settings/deployments" },
  bindings: { kind: "Role binding", icon: "user", base: "/settings/bindings" },
  alerts: { kind: "Alert", icon: "warn", base: "/settings/alerts" },
};

type Reader = Pick<SluiceClient, "listRegistered" | "listGateways" | "listKeys">;

/** Returns every registered object, gateway and key that the caller may read. */
export async function namedObjects(api: Reader): Promise<readonly NamedObject[]> {
  const collections = Object.keys(KINDS) as Collection[];
  const found = await Promise.allSettled([
    ...collections.map(async (collection) => {
      const { base, ...look } = KINDS[collection];
      const entries = await everyPage((page) => api.listRegistered(collection, page));
      return entries.map(({ id }) => ({ ...look, label: id, path: pathOf(base, id) }));
    }),
    gatewaysOf(api),
    keysOf(api),
  ]);
  return found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

async function gatewaysOf(api: Reader): Promise<readonly NamedObject[]> {
  const { data } = await api.listGateways();
  return data.map(({ id }) => ({ label: id, kind: "Gateway", icon: "gate", path: pathOf("/governance/gateways", id) }));
}

async function keysOf(api: Reader): Promise<readonly NamedObject[]> {
  const keys = await everyPage((page) => api.listKeys(page));
  const open = keys.filter(({ revokedAt }) => revokedAt === null);
  return open.map(({ label }) => ({ label, kind: "Key", icon: "settings", path: "/settings/keys" }));
}

/** Returns the pending approvals. They are read separately from other objects because they change with every run. */
export async function waitingApprovals(api: Pick<SluiceClient, "listApprovals">): Promise<readonly NamedObject[]> {
  const waiting = await everyPage((page) => api.listApprovals({ ...page, status: "pending" }));
  return waiting.map(({ id, title }) => ({
    label: title,
    kind: "Approval",
    icon: "approval",
    path: `/approvals?id=${encodeURIComponent(id)}`,
  }));
}

function pathOf(base: string, id: string): string {
  return `${base}/${encodeURIComponent(id)}`;
}
