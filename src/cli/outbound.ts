import { createAllowList, OutboundGuard } from "../outbound/index.ts";
import type { Config } from "./config.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

/** Addresses of this machine, for Bridges and receivers beside a personal server. */
export const LOOPBACK_ENTRIES: readonly string[] = ["localhost", "127.0.0.0/8", "::1"];

/** The older name of the variable, from when only webhooks were guarded. */
const OLDER_VARIABLE = "SLUICE_WEBHOOK_ALLOW";

/** Builds the guard for outbound calls. It allows the private addresses that the operator lists, and those in `besides`. */
export function readOutbound(
  { env }: Pick<Io, "env">,
  { allowOutbound }: Pick<Config, "allowOutbound">,
  besides: readonly string[] = [],
): OutboundGuard {
  const allow = createAllowList([...besides, ...listIn(allowOutbound ?? ""), ...listIn(env[OLDER_VARIABLE] ?? "")]);
  if (!allow.ok) throw new Refusal(`--allow-outbound (SLUICE_ALLOW_OUTBOUND): ${allow.failure}`);
  return new OutboundGuard({ allow: allow.value });
}

/** Splits a list that is separated by commas. */
export function listIn(written: string): readonly string[] {
  return written.split(",").flatMap((entry) => (entry.trim() === "" ? [] : [entry.trim()]));
}
