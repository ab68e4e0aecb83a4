import type { Tab } from "../../parts/tabs.tsx";

export const SETTINGS_TABS: readonly Tab[] = [
  { id: "keys", label: "Keys" },
  { id: "people", label: "People" },
  { id: "organisation", label: "Organisation" },
  { id: "webhooks", label: "Webhooks" },
  { id: "channels", label: "Channels" },
  { id: "schedules", label: "Schedules" },
  { id: "triggers", label: "Triggers" },
  { id: "lenses", label: "Lenses" },
  { id: "teams", label: "Teams" },
  { id: "library", label: "Library" },
  { id: "models", label: "Models" },
  { id: "credit-plans", label: "Credit plans" },
  { id: "retentions", label: "Retention" },
  { id: "tools", label: "Tools" },
  { id: "functions", label: "Functions" },
  { id: "grants", label: "Grants" },
  { id: "deployments", label: "Deployments" },
  { id: "bindings", label: "Role bindings" },
  { id: "secrets", label: "Secrets" },
  { id: "alerts", label: "Alerts" },
];
