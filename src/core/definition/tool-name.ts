import { matchesGlob } from "../base/index.ts";

/** A tool as a model calls it. */
export interface CalledTool {
  readonly tool: string;
  readonly server?: string | undefined;
}

/** Which tools something is said about; `*` stands for any characters. */
export interface ToolPattern {
  readonly name: string;
  /** Only tools of servers that fit; null: of any, and of none. */
  readonly server: string | null;
}

/** The name steps, manifests and policies write: `server/tool`, or the tool alone where it belongs to no server. */
export function toolNameOf({ tool, server }: CalledTool): string {
  return server === undefined || tool.startsWith(`${server}/`) ? tool : `${server}/${tool}`;
}

/** The server in a name an author has written; null: it names none. */
export function serverInName(name: string): string | null {
  const end = name.indexOf("/");
  return end > 0 ? name.slice(0, end) : null;
}

export function fitsTool(pattern: ToolPattern, name: string, server: string | null): boolean {
  if (pattern.server !== null && (server === null || !matchesGlob(pattern.server, server))) return false;
  return matchesGlob(pattern.name, name);
}
