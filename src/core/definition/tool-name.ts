import { matchesGlob } from "../base/index.ts";

/** A tool as named by a model in a call. */
export interface CalledTool {
  readonly tool: string;
  readonly server?: string | undefined;
}

/** A pattern of tools. `*` matches any characters. */
export interface ToolPattern {
  readonly name: string;
  /** Pattern of the tool's server. Null matches tools of any server, and tools without a server. */
  readonly server: string | null;
}

/** Returns the name used in steps, manifests and policies: `server/tool`, or only the tool when it has no server. */
export function toolNameOf({ tool, server }: CalledTool): string {
  return server === undefined || tool.startsWith(`${server}/`) ? tool : `${server}/${tool}`;
}

/** Returns the server in a name written by an author. Null when the name has none. */
export function serverInName(name: string): string | null {
  const end = name.indexOf("/");
  return end > 0 ? name.slice(0, end) : null;
}

export function fitsTool(pattern: ToolPattern, name: string, server: string | null): boolean {
  if (pattern.server !== null && (server === null || !matchesGlob(pattern.server, server))) return false;
  return matchesGlob(pattern.name, name);
}
