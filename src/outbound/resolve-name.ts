import { lookup } from "node:dns/promises";

/** Returns all addresses of a name, as the operating system resolves it. */
export async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}
