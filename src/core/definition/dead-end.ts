import { didYouMean, formatPath, type PathSegment } from "../base/index.ts";
import { KIND_PHRASES, type DeadEnd } from "../expression/index.ts";

/** Reserved words that are not included in a list of fields. */
const UNLISTED: ReadonlySet<string> = new Set(["outputs", "stdout", "json", "media", "_skipped"]);
const LISTED_MAX = 12;

/**
 * Returns why a path does not exist. `start` names the first part of the path ("step \"c\"") and the number of segments
 * it covers. `owner` is the kind of the value that has no such field or element.
 */
export function deadEndMessage(
  text: string,
  segments: readonly PathSegment[],
  { index, segment, owner }: DeadEnd,
  start: { readonly name: string; readonly length: number },
): string {
  const followed = segments.slice(start.length, start.length + index);
  const isWhole = followed.length === 0 || (followed.length === 1 && followed[0] === "outputs");
  const what = isWhole ? start.name : formatPath(segments.slice(0, start.length + index));
  if (owner.kind === "object" && typeof segment === "string") return `${text}: ${what} has no field "${segment}".`;
  const missing = typeof segment === "number" ? `element [${segment}]` : `field "${segment}"`;
  return `${text}: ${what} is ${KIND_PHRASES[owner.kind]}, which has no ${missing}.`;
}

export function deadEndHint({ segment, owner }: DeadEnd): string | undefined {
  if (owner.kind === "list" && typeof segment === "string") return `Write [0] for an element, or .length.`;
  if (owner.kind !== "object" || typeof segment !== "string") return undefined;
  const near = didYouMean(segment, owner.fields.keys());
  if (near !== undefined) return near;
  const named = [...owner.fields.keys()].filter((name) => !UNLISTED.has(name));
  const listed = named.length > 1 ? named.filter((name) => name !== "approved") : named;
  if (listed.length === 0) return undefined;
  const more = listed.length > LISTED_MAX ? ` and ${listed.length - LISTED_MAX} more` : "";
  return `It has ${listed.slice(0, LISTED_MAX).join(", ")}${more}.`;
}
