import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function WorkflowScreen(): JSX.Element {
  return <PageHead title="Workflow" />;
}
