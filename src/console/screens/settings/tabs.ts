import type { Tab } from "../../parts/tabs.tsx";

/** The tabs, in groups: access, triggers, notifications, workers of all kinds, places of execution, and stored data. */
export const SETTINGS_TABS: readonly Tab[] = [
  { id: "keys", label: "Keys" },
  { id: "people", label: "People" },
  { id: "organisation", label: "Organisation" },
  { id: "secrets", label: "Secrets" },
  { id: "schedules", label: "Schedules", isFirst: true },
  { id: "triggers", label: "Triggers" },
  { id: "webhooks", label: "Webhooks", isFirst: true },
  { id: "channels", label: "Channels" },
  { id: "alerts", label: "Alerts" },
  { id: "teams", label: "Teams", isFirst: true },
  { id: "bindings", label: "Role bindings" },
  { id: "tools", label: "Tools" },
  { id: "functions", label: "Functions" },
  { id: "grants", label: "Grants" },
  { id: "lenses", label: "Lenses" },
  { id: "library", label: "Library" },
  { id: "models", label: "Models", isFirst: true },
  { id: "deployments", label: "Deployments" },
  { id: "cells", label: "Cells" },
  { id: "credit-plans", label: "Credit plans", isFirst: true },
  { id: "retentions", label: "Retention" },
];
