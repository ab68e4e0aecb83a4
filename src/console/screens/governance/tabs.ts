import type { Tab } from "../../parts/tabs.tsx";

export const GOVERNANCE_TABS: readonly Tab[] = [
  { id: "gates", label: "Gates" },
  { id: "policies", label: "Policies" },
  { id: "budgets", label: "Budgets" },
  { id: "agents", label: "Agents" },
  { id: "gateways", label: "Gateways" },
];
