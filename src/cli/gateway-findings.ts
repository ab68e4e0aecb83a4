import { ApiError, type Gateway } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import { type Failure, type Finding, fine, unset, wrong } from "./finding.ts";
import { reasonOf } from "./source-file.ts";
import { oneLine } from "./terminal-text.ts";

type Asked = Pick<Api, "url" | "listGateways" | "getPublicUrl">;

export function serverFailure(check: string, url: string, thrown: unknown): Failure {
  const isKey = thrown instanceof ApiError && (thrown.status === 401 || thrown.status === 403);
  const fix = isKey ? "set SLUICE_KEY to a key of this server" : "start it with `sluice up`, or set SLUICE_URL";
  return wrong(check, `${url}: ${reasonOf(thrown)}`, fix, isKey ? EXIT.notPermitted : EXIT.unreachable);
}

/** Checks the Bridges of the server, and whether all replicas give them the same address. */
export async function gatewayFindings(api: Asked): Promise<readonly Finding[]> {
  try {
    const remote = (await api.listGateways()).data.filter(({ url }) => url !== null);
    if (remote.length === 0) return [];
    return [...remote.map(gatewayFinding), await publicUrl(api)];
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 403) {
      return [unset("gateways", "the key has no permission to read gateways", "use a key that may read gateways")];
    }
    return [serverFailure("gateways", api.url, thrown)];
  }
}

export function gatewayFinding({ id, status, url, seenAt, reason, detail = "" }: Gateway): Finding {
  const check = `gateway ${oneLine(id)}`;
  if (reason === "outbound_refused" && url !== null) {
    const flag = `start the server with --allow-outbound ${new URL(url).host}, if it may call this address`;
    return wrong(check, detail, flag);
  }
  const where = `${status} at ${url ?? ""}`;
  if (status === "healthy") return fine(check, where);
  const since = seenAt === null ? "it was never seen" : `it was last seen ${seenAt}`;
  const fix = `start its \`sluice bridge\` again, and check that the server reaches ${url ?? "it"}`;
  return status === "offline" ? wrong(check, `${where}; ${since}`, fix) : unset(check, `${where}; ${since}`, fix);
}

async function publicUrl(api: Asked): Promise<Finding> {
  const url = await api.getPublicUrl();
  if (url !== null) return fine("public URL", `Bridges report to ${url}`);
  const detail = "none is set; each replica names its own address, and a Bridge refuses what the others send it (422)";
  return unset("public URL", detail, "start every replica with the same --public-url, one that the Bridges reach");
}
