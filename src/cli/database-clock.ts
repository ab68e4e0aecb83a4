import { SyncedClock } from "../clock/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import type { Storage } from "./storage.ts";

/** Maximum clock difference. A larger one means that the machine is misconfigured and would show wrong times. */
const SKEW_MAX_MS = 60_000;

/** Opens a clock with the time of the database, which all replicas share. */
export async function openClock(
  { clock: local }: Pick<Io, "clock">,
  { store, isEmbedded }: Storage,
  onTrouble: (what: string, error: unknown) => void,
): Promise<SyncedClock> {
  // An embedded database uses the clock of this process.
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
