/** One of the servers that may be the leader of a replicated database. */
export interface DatabaseHost {
  /** Host and port as shown to people, without user or password. */
  readonly name: string;
  readonly url: string;
}

/** A database URL is malformed. The message does not quote the URL, because it may contain a password. */
export class BadDatabaseUrl extends Error {
  override readonly name = "BadDatabaseUrl";
}

const SHAPE = /^(?<scheme>postgres(?:ql)?:\/\/)(?<authority>[^/?#]*)(?<rest>.*)$/s;
const HOSTS_MAX = 16;

/** `postgres://user:password@h1:5432,h2:5433/db` names several servers; anything else names one. */
export function readDatabaseHosts(text: string): readonly DatabaseHost[] {
  const { scheme = "", authority = "", rest = "" } = SHAPE.exec(text)?.groups ?? {};
  if (scheme === "") throw new BadDatabaseUrl("must be a postgres:// URL");
  const at = authority.lastIndexOf("@") + 1;
  const names = authority.slice(at).split(",");
  if (names.length > HOSTS_MAX) throw new BadDatabaseUrl(`names ${names.length} hosts; at most ${HOSTS_MAX} are tried`);
  const empty = names.findIndex((name) => name === "" || name.startsWith(":"));
  if (names.length > 1 && empty >= 0) {
    throw new BadDatabaseUrl(`names no host at place ${empty + 1} of ${names.length}`);
  }
  const hosts = names.map((name, index) => readHost(`${scheme}${authority.slice(0, at)}${name}${rest}`, index + 1));
  if (hosts.length > 1) checkSeveral(hosts);
  return hosts;
}

function readHost(url: string, place: number): DatabaseHost {
  if (!URL.canParse(url)) {
    const what = `must be a postgres:// URL; host ${place} of it, or what stands around the hosts, cannot be read`;
    throw new BadDatabaseUrl(`${what} (write h1:5432,h2:5433 and percent-encode @ / ? # in a password)`);
  }
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? hostname;
  return { name: `${host === "" ? "localhost" : host}:${port === "" ? "5432" : port}`, url };
}

function checkSeveral(hosts: readonly DatabaseHost[]): void {
  if (hosts.some(({ url }) => new URL(url).searchParams.has("host"))) {
    throw new BadDatabaseUrl("names hosts twice: before the path and as the parameter host; leave out one of them");
  }
  const seen = new Set<string>();
  for (const { name } of hosts) {
    if (seen.has(name)) throw new BadDatabaseUrl(`names ${name} twice`);
    seen.add(name);
  }
}
