import { createHmac, timingSafeEqual } from "node:crypto";

/** The attempt that an outside service may report on. */
export interface Ticket {
  readonly orgId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export type TicketReading =
  | { readonly kind: "good"; readonly ticket: Ticket }
  | { readonly kind: "expired" }
  | { readonly kind: "bad" };

/** The permission in a token: to report on the attempt, or to access its files. */
export type TicketUse = "report" | "files";

const PREFIX: Readonly<Record<TicketUse, string>> = { report: "cb", files: "fl" };
/** Matches the whole token, with nothing before or after it. */
const SHAPE = /^(cb|fl)_([\w-]+)\.([\w-]+)$/;

/** Writes and reads the tokens of one-time URLs. Tokens are not stored: the signature proves that we wrote them. */
export class Tickets {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  write({ orgId, runId, nodeId, attempt, expiresAt }: Ticket, use: TicketUse = "report"): string {
    const body = Buffer.from(JSON.stringify([orgId, runId, nodeId, attempt, expiresAt]), "utf8").toString("base64url");
    return `${PREFIX[use]}_${body}.${this.#sign(body, use)}`;
  }

  read(token: string, now: number, use: TicketUse = "report"): TicketReading {
    const [, prefix = "", body = "", signature = ""] = SHAPE.exec(token) ?? [];
    const [given, expected] = [Buffer.from(signature, "utf8"), Buffer.from(this.#sign(body, use), "utf8")];
    if (prefix !== PREFIX[use] || given.length !== expected.length || !timingSafeEqual(given, expected))
      return { kind: "bad" };
    const ticket = ticketOf(body);
    if (ticket === undefined) return { kind: "bad" };
    return ticket.expiresAt <= now ? { kind: "expired" } : { kind: "good", ticket };
  }

  /** The signature includes the use, so that a token for one use is invalid for the other. */
  #sign(body: string, use: TicketUse): string {
    const signed = use === "report" ? body : `${PREFIX[use]}_${body}`;
    return createHmac("sha256", this.#key).update(signed, "utf8").digest("base64url");
  }
}

function ticketOf(body: string): Ticket | undefined {
  try {
    const [orgId, runId, nodeId, attempt, expiresAt] = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as [
      string,
      string,
      string,
      number,
      number,
    ];
    return { orgId, runId, nodeId, attempt, expiresAt };
  } catch {
    return undefined;
  }
}

/** Returns the organisation named in a token, without verifying the token; null when it names none. */
export function organisationOfToken(token: string): string | null {
  const orgId: unknown = ticketOf(SHAPE.exec(token)?.[2] ?? "")?.orgId;
  return typeof orgId === "string" ? orgId : null;
}
