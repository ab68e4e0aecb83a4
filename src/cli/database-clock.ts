import { SyncedClock } from "../clock/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import type { Storage } from "./storage.ts";

/** Beyond it a machine is set up wrongly, and what it shows people would be as wrong as its clock. */
const SKEW_MAX_MS = 60_000;

/** The time of the database, which all replicas share. */
export async function openClock(
  { clock: local }: Pick<Io, "clock">,
  { store, isEmbedded }: Storage,
  onTrouble: (what: string, error: unknown) => void,
): Promise<SyncedClock> {
  // An embedded database reads the clock of this very process.
  const readTime = isEmbedded ? async () => local.now() : () => store.now();
  const clock = await SyncedClock.open({ readTime, local, monotonic: () => performance.now(), onTrouble });
  const { skewMs } = clock;
  if (Math.abs(skewMs) <= SKEW_MAX_MS) return clock;
  clock.stop();
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  throw new Refusal(
    `the clock of this machine is ${seconds} s ${skewMs > 0 ? "ahead of" : "behind"} the database's: ` +
      `set it (by NTP, for example), and start again`,
  );
}
