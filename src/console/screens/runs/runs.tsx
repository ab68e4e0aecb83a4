import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function RunsScreen(): JSX.Element {
  return <PageHead title="Runs" />;
}
