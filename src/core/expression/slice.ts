import { countCodePoints, type Json } from "../base/index.ts";

/** Returns start and end of a slice. Negative numbers count from the end, and numbers beyond either end are clamped. */
function boundsOf(length: number, from: number | null, to: number | null): readonly [number, number] {
  return [clamp(from ?? 0, length), clamp(to ?? length, length)];
}

function clamp(bound: number, length: number): number {
  return bound < 0 ? Math.max(0, length + bound) : Math.min(bound, length);
}

export function sliceList(list: readonly Json[], from: number | null, to: number | null): readonly Json[] {
  const [first, end] = boundsOf(list.length, from, to);
  return list.slice(first, Math.max(first, end));
}

/** Slices by code points, so that no character is cut in half. */
export function sliceText(text: string, from: number | null, to: number | null): string {
  const length = countCodePoints(text);
  const [first, end] = boundsOf(length, from, to);
  if (first >= end) return "";
  if (length === text.length) return text.slice(first, end);
  const start = unitOf(text, 0, first);
  return text.slice(start, unitOf(text, start, end - first));
}

/** Returns the code unit a number of characters after another. */
function unitOf(text: string, start: number, characters: number): number {
  let at = start;
  for (let count = 0; count < characters; count += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
