import type { IconName } from "../parts/icon.tsx";

export interface SidebarSection {
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly icon: IconName;
  /** Letter of the shortcut, pressed after `g`. */
  readonly letter: string;
}

export const SECTIONS: readonly SidebarSection[] = [
  { id: "home", label: "Home", path: "/", icon: "home", letter: "h" },
  { id: "workflows", label: "Workflows", path: "/workflows", icon: "workflow", letter: "w" },
  { id: "runs", label: "Runs", path: "/runs", icon: "run", letter: "r" },
  { id: "approvals", label: "Approvals", path: "/approvals", icon: "approval", letter: "a" },
  { id: "governance", label: "Governance", path: "/governance", icon: "gate", letter: "g" },
  { id: "trends", label: "Trends", path: "/trends", icon: "trend", letter: "e" },
  { id: "usage", label: "Usage", path: "/usage", icon: "chart", letter: "u" },
  { id: "audit", label: "Audit", path: "/audit", icon: "audit", letter: "t" },
  { id: "settings", label: "Settings", path: "/settings", icon: "settings", letter: "s" },
];
