import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function WorkflowsScreen(): JSX.Element {
  return <PageHead title="Workflows" />;
}
