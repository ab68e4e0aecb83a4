import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function ApprovalsScreen(): JSX.Element {
  return <PageHead title="Approvals" />;
}
