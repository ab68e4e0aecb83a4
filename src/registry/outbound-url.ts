import { getOwn, type JsonObject, type TreePath } from "../core/base/index.ts";
import { walk } from "../core/expression/index.ts";
import type { RegisteredKind } from "./kind.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** `peer` and `mail` allow any port; `message` allows only 80 and 443. */
type OutboundPurpose = "peer" | "message" | "mail";

/** Returns why the server refuses to call a URL, with a hint; null when it calls it. */
export type CheckOutbound = (
  url: string,
  purpose: OutboundPurpose,
) => Promise<{ readonly message: string; readonly hint: string | null } | null>;

/** An address that an entry causes a server to call, and the field that contains it. */
interface Outbound {
  readonly at: TreePath;
  readonly url: string;
  readonly purpose: OutboundPurpose;
}

/** Returns the reasons not to save an entry whose URL this server would call. */
export async function outboundProblems(
  kind: RegisteredKind,
  body: JsonObject,
  check: CheckOutbound,
): Promise<readonly SpecProblem[]> {
  const outbound = outboundOf(kind, body);
  if (outbound === null) return [];
  const refusal = await check(outbound.url, outbound.purpose);
  if (refusal === null) return [];
  return [specProblem("outbound_refused", outbound.at, refusal.message, { hint: refusal.hint ?? undefined })];
}

function outboundOf(kind: RegisteredKind, body: JsonObject): Outbound | null {
  const [url, host] = [getOwn(body, "url"), getOwn(body, "host")];
  if (kind === "Gateway" || kind === "Webhook" || kind === "Channel") {
    if (typeof url === "string" && url !== "")
      return { at: ["url"], url, purpose: kind === "Gateway" ? "peer" : "message" };
  }
  if (kind === "Secret") {
    const at = ["from", "vault", "url"];
    const vault = walk(body, at);
    return typeof vault === "string" ? { at, url: vault, purpose: "peer" } : null;
  }
  if (kind !== "Channel" || typeof host !== "string") return null;
  const port = getOwn(body, "port");
  return { at: ["host"], url: hostUrl(host, typeof port === "number" ? port : MAIL_PORT), purpose: "mail" };
}

const MAIL_PORT = 587;

/** Builds a URL from a host and a port for the outbound guard. */
export function hostUrl(host: string, port: number): string {
  const isBare = host.includes(":") && !host.startsWith("[");
  return `http://${isBare ? `[${host}]` : host}:${port}`;
}
