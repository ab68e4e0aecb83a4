import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { matchPath, type Params, pathTo } from "../page/match.ts";
import type { ScreenProps } from "../page/screen-props.ts";

export interface ScreenRoute {
  readonly path: string;
  /** Id of the sidebar entry for the screen. */
  readonly section: string;
  readonly screen: LazyExoticComponent<ComponentType<ScreenProps>>;
}

type Screen = ComponentType<ScreenProps>;

function screen(path: string, section: string, load: () => Promise<Screen>): ScreenRoute {
  return { path, section, screen: lazy(async () => ({ default: await load() })) };
}

/** All screens. The file of each is loaded when the screen is first shown. */
export const SCREENS: readonly ScreenRoute[] = [
  screen("/", "home", async () => (await import("../screens/home/home.tsx")).HomeScreen),
  screen("/workflows", "workflows", async () => (await import("../screens/workflows/workflows.tsx")).WorkflowsScreen),
  screen(
    "/workflows/:name/:tab?",
    "workflows",
    async () => (await import("../screens/workflow/workflow.tsx")).WorkflowScreen,
  ),
  screen("/runs", "runs", async () => (await import("../screens/runs/runs.tsx")).RunsScreen),
  screen("/runs/:id", "runs", async () => (await import("../screens/run/run.tsx")).RunScreen),
  screen(
    "/runs/:id/compare/:other?",
    "runs",
    async () => (await import("../screens/compare/compare.tsx")).CompareScreen,
  ),
  screen("/approvals", "approvals", async () => (await import("../screens/approvals/approvals.tsx")).ApprovalsScreen),
  screen(
    "/governance/:tab?/:id?",
    "governance",
    async () => (await import("../screens/governance/governance.tsx")).GovernanceScreen,
  ),
  screen("/trends", "trends", async () => (await import("../screens/trends/trends.tsx")).TrendsScreen),
  screen("/usage", "usage", async () => (await import("../screens/usage/usage.tsx")).UsageScreen),
  screen("/audit", "audit", async () => (await import("../screens/audit/audit.tsx")).AuditScreen),
  screen("/account", "account", async () => (await import("../screens/account/account.tsx")).AccountScreen),
  screen(
    "/settings/:tab?/:id?",
    "settings",
    async () => (await import("../screens/settings/settings.tsx")).SettingsScreen,
  ),
];

export interface FoundRoute {
  readonly route: ScreenRoute;
  readonly params: Params;
  /** Key that is the same for all addresses of one screen. An optional part, such as a tab, changes only the content of the screen. */
  readonly key: string;
}

export function routeOf(path: string): FoundRoute | null {
  for (const route of SCREENS) {
    const params = matchPath(route.path, path);
    if (params !== null) return { route, params, key: pathTo(route.path.replaceAll(/\/:\w+\?/g, ""), params) };
  }
  return null;
}
