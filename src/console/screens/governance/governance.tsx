import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function GovernanceScreen(): JSX.Element {
  return <PageHead title="Governance" />;
}
