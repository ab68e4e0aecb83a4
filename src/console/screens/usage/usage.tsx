import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function UsageScreen(): JSX.Element {
  return <PageHead title="Usage" />;
}
