import type { OverrideTemplate } from "./template.ts";

/** `[[node.path]]`, the path with dots and indices. A label without a dot, `[[label]]`, is not one. */
const REFERENCE = /\[\[\s*([A-Za-z0-9_-]+)\.((?:[^\s.[\]{}]+)(?:\.[^\s.[\]{}]+|\[\d+\])*)\s*\]\]/g;

/** Cuts an override once. What is no reference to a node stays text, so this cannot fail. */
export function parseOverride(text: string): OverrideTemplate {
  const parts: OverrideTemplate["parts"][number][] = [];
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [written, nodeId, path] = match;
    if (nodeId === undefined || path === undefined) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({ nodeId, path });
    from = match.index + written.length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return { text, parts };
}
