import type { IconName } from "../parts/icon.tsx";

export interface Section {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Pressed after `g`. */
  readonly letter: string;
}

export const SECTIONS: readonly Section[] = [
  { id: "home", label: "Home", path: "/", icon: "home", letter: "h" },
  { id: "workflows", label: "Workflows", path: "/workflows", icon: "workflow", letter: "w" },
  { id: "runs", label: "Runs", path: "/runs", icon: "run", letter: "r" },
  { id: "approvals", label: "Approvals", path: "/approvals", icon: "approval", letter: "a" },
  { id: "governance", label: "Governance", path: "/governance", icon: "gate", letter: "g" },
  { id: "usage", label: "Usage", path: "/usage", icon: "chart", letter: "u" },
  { id: "audit", label: "Audit", path: "/audit", icon: "audit", letter: "t" },
  { id: "settings", label: "Settings", path: "/settings", icon: "settings", letter: "s" },
];

/** A part of a screen with an address of its own. */
export interface Tab {
  readonly id: string;
  readonly label: string;
}

export const GOVERNANCE_TABS: readonly Tab[] = [
  { id: "gates", label: "Gates" },
  { id: "policies", label: "Policies" },
  { id: "budgets", label: "Budgets" },
  { id: "agents", label: "Agents" },
  { id: "gateways", label: "Gateways" },
];

export const SETTINGS_TABS: readonly Tab[] = [
  { id: "keys", label: "Keys" },
  { id: "webhooks", label: "Webhooks" },
  { id: "schedules", label: "Schedules" },
  { id: "lenses", label: "Lenses" },
  { id: "teams", label: "Teams" },
  { id: "library", label: "Library" },
  { id: "models", label: "Models" },
  { id: "deployments", label: "Deployments" },
  { id: "bindings", label: "Role bindings" },
  { id: "alerts", label: "Alerts" },
];
