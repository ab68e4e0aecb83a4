import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function SettingsScreen(): JSX.Element {
  return <PageHead title="Settings" />;
}
