import type { JSX } from "react";
import { PageHead } from "../../parts/page-head.tsx";

export function HomeScreen(): JSX.Element {
  return <PageHead title="Home" />;
}
