import { useEffect, useMemo, useState } from "react";
import { type Grouped, type Layout, type LayoutNode, layOut } from "../../core/graph/layout/index.ts";
import { GAPS } from "./card.ts";
import { type Frame, sizeOf } from "./inside.ts";
import type { LayoutAnswer, LayoutQuestion } from "./layout-message.ts";

/** Up to this number of nodes, computing the layout takes less time than a message to the worker. */
const HERE_MAX = 120;

let script: Worker | null = null;
let nextId = 1;
const waiting = new Map<number, (layout: Layout) => void>();

function ask(question: Omit<LayoutQuestion, "id">, answer: (layout: Layout) => void): () => void {
  script ??= begin();
  const id = nextId;
  nextId += 1;
  waiting.set(id, answer);
  script.postMessage({ id, ...question } satisfies LayoutQuestion, []);
  return () => void waiting.delete(id);
}

function begin(): Worker {
  const begun = new Worker(new URL("./layout-script.ts", import.meta.url), { type: "module", name: "sluice-layout" });
  begun.addEventListener("message", ({ data }: MessageEvent<LayoutAnswer>) => {
    waiting.get(data.id)?.(data.layout);
    waiting.delete(data.id);
  });
  return begun;
}

/** Returns the layout. It is immediate for a small graph. For a large one, the old layout stays until the worker has answered. */
export function useLayout(
  grouped: Grouped,
  direction: "right" | "down",
  frames: ReadonlyMap<string, Frame>,
): Layout | null {
  const nodes = useMemo(
    (): readonly LayoutNode[] => grouped.vertices.map(({ id }) => ({ id, ...sizeOf(frames.get(id)) })),
    [grouped, frames],
  );
  const options = useMemo(() => ({ direction, ...GAPS }), [direction]);
  const here = useMemo(
    () => (nodes.length <= HERE_MAX ? layOut(nodes, grouped.edges, options) : null),
    [nodes, grouped, options],
  );
  const [there, setThere] = useState<Layout | null>(null);
  useEffect(
    () => (here === null ? ask({ nodes, edges: grouped.edges, options }, setThere) : undefined),
    [here, nodes, grouped, options],
  );
  return here ?? there;
}
