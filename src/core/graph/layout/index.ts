export { type GroupableNode, type Grouped, groupGraph, type Vertex, VISIBLE_MAX } from "./grouping.ts";
export {
  type Layout,
  type LayoutEdge,
  type LayoutNode,
  type LayoutOptions,
  layOut,
  type Placed,
  type Point,
} from "./layout.ts";
export { compareNatural } from "./natural-order.ts";
