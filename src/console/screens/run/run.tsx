import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function RunScreen(): JSX.Element {
  return <PageHead title="Run" />;
}
