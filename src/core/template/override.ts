import type { OverrideTemplate } from "./template.ts";

/** `[[node.path]]`, where the path has dots and indices. A label without a dot, `[[label]]`, is not a reference. */
const REFERENCE = /\[\[\s*([A-Za-z0-9_-]+)\.((?:[^\s.[\]{}]+)(?:\.[^\s.[\]{}]+|\[\d+\])*)\s*\]\]/g;

/** Parses an override. Anything that is not a reference to a node stays text, so parsing cannot fail. */
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
