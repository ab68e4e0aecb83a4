import type { Socket } from "node:net";
import { fail, type Outcome } from "../core/base/index.ts";
import { type AllowList, EMPTY_ALLOW_LIST } from "./allow-list.ts";
import { connectPinned } from "./pinned-connection.ts";
import { resolveName } from "./resolve-name.ts";
import { checkUrl, checkUrlText, type Resolve, type UrlRefusal } from "./url-check.ts";

export interface GuardedConnection {
  readonly allow?: AllowList;
  readonly resolve?: Resolve;
  readonly signal: AbortSignal;
}

/** Opens a socket for protocols other than HTTP. Every address of the host is checked, and only a checked address is called. */
export async function connectGuarded(
  url: string,
  { allow = EMPTY_ALLOW_LIST, resolve = resolveName, signal }: GuardedConnection,
): Promise<Outcome<Socket, UrlRefusal>> {
  const read = checkUrlText(url);
  if (!read.ok) return read;
  const checked = await checkUrl(read.value, { allow, isListOnly: false, isAnyPort: true, resolve });
  return checked.ok ? connectPinned(checked.value, signal) : fail(checked.failure);
}
