import { type ConfigFlags, CLIENT_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

/** Options of every command that connects to a server. */
export type LinkOptions = Pick<ConfigFlags, "url" | "key">;

/** The address of a server, the key for it, and the source of both. */
export interface ServerLink {
  readonly url: string;
  readonly key: string | null;
  readonly from: "flag" | "environment" | "data-directory";
}

/** Returns the server that was named, else the one running from this data directory, else null. */
export function findServer(io: Io, options: LinkOptions): ServerLink | null {
  const config = readConfig(io, options, CLIENT_SETTINGS);
  const key = config.key ?? null;
  if (config.url !== undefined) return { url: config.url, key, from: config.isUrlGiven ? "flag" : "environment" };
  const directory = new DataDirectory(config.data);
  const server = directory.readServer();
  return server === null ? null : { url: server.url, key: key ?? directory.readKey(), from: "data-directory" };
}

export function demandServer(io: Io, options: LinkOptions): ServerLink {
  const link = findServer(io, options);
  if (link !== null) return link;
  const how = "start one with `sluice up`, or name one with SLUICE_URL or --url";
  throw new Refusal(`no server is known: ${how}`, EXIT.unreachable);
}
