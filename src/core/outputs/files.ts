import type { Fence } from "./fence.ts";

export interface ExtractedFile {
  readonly path: string;
  readonly content: string;
}

export interface ExtractedFiles {
  readonly files: readonly ExtractedFile[];
  /** Number of blocks whose path is outside the working directory. */
  readonly refused: number;
}

/** Extracts files from fenced blocks with `ts path/to/file` or only a path on the opening line. A later block replaces an earlier one. */
export function extractFiles(blocks: readonly Fence[]): ExtractedFiles {
  const contentByPath = new Map<string, string>();
  let refused = 0;
  for (const { info, content } of blocks) {
    const written = writtenPath(info);
    if (written === undefined) continue;
    const path = safePath(written);
    if (path === undefined) refused += 1;
    else contentByPath.set(path, content);
  }
  return { files: [...contentByPath].map(([path, content]) => ({ path, content })), refused };
}

/** Characters of attributes (`{1,3}`, `title="x"`) that do not occur in a path. */
const ATTRIBUTE = /["'<>|*?{}=]/;

/** Returns the path after the language, or the first word when it cannot be a language. */
function writtenPath(info: string): string | undefined {
  if (ATTRIBUTE.test(info)) return undefined;
  const space = info.search(/\s/);
  const first = space === -1 ? info : info.slice(0, space);
  if (/[/\\]/.test(first)) return info;
  if (space !== -1) return info.slice(space).trim();
  return info.includes(".") ? info : undefined;
}

/** Returns a normalised path below the working directory, or undefined when the path leads elsewhere. */
function safePath(written: string): string | undefined {
  if (/\p{Cc}/u.test(written) || /^[A-Za-z]:/.test(written) || written.startsWith("~")) return undefined;
  const segments = written.split(/[/\\]/);
  if (segments[0] === "" || segments.at(-1) === "") return undefined;
  const kept = segments.filter((segment) => segment !== "." && segment !== "");
  return kept.length === 0 || kept.some((segment) => /^\.\.[\s.]*$/.test(segment)) ? undefined : kept.join("/");
}
