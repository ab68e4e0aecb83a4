/** Worker that computes graph layouts, so that a large graph does not block the page. */
import { layOut } from "../../core/graph/layout/index.ts";
import type { LayoutAnswer, LayoutQuestion } from "./layout-message.ts";

addEventListener("message", ({ data }: MessageEvent<LayoutQuestion>) => {
  const { id, nodes, edges, options } = data;
  const answer: LayoutAnswer = { id, layout: layOut(nodes, edges, options) };
  postMessage(answer);
});
