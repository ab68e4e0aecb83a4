import type { Layout, LayoutEdge, LayoutNode, LayoutOptions } from "../../core/graph/layout/index.ts";

export interface LayoutQuestion {
  readonly id: number;
  readonly nodes: readonly LayoutNode[];
  readonly edges: readonly LayoutEdge[];
  readonly options: LayoutOptions;
}

export interface LayoutAnswer {
  readonly id: number;
  readonly layout: Layout;
}
