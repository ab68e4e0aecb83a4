import type { z } from "zod";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { StoredVerdict } from "../store/index.ts";
import type { judgedSchema, verdictSchema } from "./governance-schemas.ts";

type Judged = z.output<typeof judgedSchema>;

/** What a verdict is kept with: written by the governor, and by nobody else. */
type Kept = Pick<z.output<typeof verdictSchema>, "trail" | "policies" | "matched" | "facts" | "hash"> & {
  readonly explanation?: NonNullable<Judged["explanation"]>;
};

export function judgedOnWire({ body, at, ...verdict }: StoredVerdict): Judged {
  const { trail, policies, matched, explanation } = body as unknown as Kept;
  return { ...verdict, at: isoFromEpochMs(at), explanation: explanation ?? null, trail, policies, matched };
}

export function verdictOnWire(verdict: StoredVerdict): z.output<typeof verdictSchema> {
  const { facts, hash } = verdict.body as unknown as Kept;
  return { ...judgedOnWire(verdict), facts, hash };
}
