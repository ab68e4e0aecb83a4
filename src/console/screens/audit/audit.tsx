import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function AuditScreen(): JSX.Element {
  return <PageHead title="Audit" />;
}
