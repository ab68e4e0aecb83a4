import { lookup } from "node:dns/promises";

/** All addresses of a name, as the machine resolves it. */
export async function resolveName(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
}
