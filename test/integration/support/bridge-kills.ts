import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { judgePair, readOutbox } from "./bridge-judge.ts";
import { Pair } from "./bridge-pair.ts";
import { type KillPlan, liveByCalls } from "./kills.ts";
import { readLedger } from "./ledger.ts";
import { Load, type Verdict } from "./load.ts";

const LIFE_MS_MAX = 900;
const DOWN_MS_MAX = 400;

const BUSY_CALLS = 4;
/** Few calls are all there is after this; a slow machine may not even have begun one. */
const LULL_MS = 3_000;
const FIRST_CALL_MS = 30_000;

const VICTIMS = ["server", "bridge", "both"] as const;

/** Kills the server, its Bridge or both, again and again, starts them on what they left, and judges the runs. */
export async function surviveBridgeKills(plan: KillPlan): Promise<Verdict> {
  const { seed, kills, databaseUrl, runsPerLife, note } = plan;
  const dice = new Prng(seed);
  const pair = await Pair.open({ dice, databaseUrl });
  try {
    await Load.saveSamples(pair.api);
    const load = new Load(pair.api, dice.fork("load"));
    for (let kill = 1; kill <= kills; kill += 1) {
      load.start(runsPerLife);
      // The first three have every kind once, whatever the dice say.
      const victim = VICTIMS[kill - 1] ?? dice.pick(VICTIMS);
      await (kill % 2 === 0 ? pause(dice.below(LIFE_MS_MAX)) : liveByCalls(pair.ledger, dice));
      if (victim !== "server") await untilBusy(pair);
      const downMs = dice.below(DOWN_MS_MAX);
      await Promise.all([
        ...(victim === "bridge"
          ? []
          : [
              restart(
                downMs,
                () => pair.killServer(),
                () => pair.startServer(),
              ),
            ]),
        ...(victim === "server"
          ? []
          : [
              restart(
                0,
                () => pair.killBridge(),
                () => pair.startBridge(),
              ),
            ]),
      ]);
      note?.(`kill ${kill} of ${kills}: ${victim}`);
    }
    await load.settle();
    return await judgePair(pair, load);
  } finally {
    await pair.dispose();
  }
}

/** Lasts until the Bridge has begun several calls and ended none of them, or has nothing to do. */
async function untilBusy({ ledger, outbox }: Pair): Promise<void> {
  const begun = Date.now();
  for (;;) {
    const ended = readOutbox(outbox);
    const open = readLedger(ledger).filter(({ dispatchId }) => !ended.has(dispatchId));
    if (open.length >= BUSY_CALLS) return;
    if (Date.now() > begun + (open.length === 0 ? FIRST_CALL_MS : LULL_MS)) return;
    await pause(5);
  }
}

async function restart(downMs: number, kill: () => Promise<void>, start: () => Promise<void>): Promise<void> {
  await kill();
  await pause(downMs);
  await start();
}
