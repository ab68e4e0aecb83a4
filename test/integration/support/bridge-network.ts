import { setTimeout as pause } from "node:timers/promises";
import { Prng } from "../../simulation/prng.ts";
import { judgePair, repeatedIn } from "./bridge-judge.ts";
import { Pair } from "./bridge-pair.ts";
import { readLedger } from "./ledger.ts";
import { Load, type Verdict } from "./load.ts";
import { FAULTS, type Proxy } from "./proxy.ts";

export interface NetworkPlan {
  readonly seed: number;
  /** At least so many requests meet a fault, half of them on either link. */
  readonly faults: number;
  readonly databaseUrl: string | null;
  readonly note?: (line: string) => void;
}

export interface NetworkVerdict extends Verdict {
  readonly faults: number;
  /** Kinds of faults that were met on both links. */
  readonly kinds: number;
}

const SHARE = 0.3;
const SPELL_MS_MAX = 1_500;
const HOLE_MS_MAX = 2_500;
const RUNS_PER_SPELL = 3;
const RUNS_MAX = 400;
/** After the last fault. */
const END_MS = 240_000;

/** What a node may fail with when three tries to hand it over have failed, or when it is unknown whether it began. */
const EXCUSES: ReadonlySet<string> = new Set(["gateway_unreachable"]);

/** Lets the network between server and Bridge do its worst, both ways, then lets it be, and judges what became of it. */
export async function surviveBadNetwork({ seed, faults, databaseUrl, note }: NetworkPlan): Promise<NetworkVerdict> {
  const dice = new Prng(seed);
  const pair = await Pair.open({ dice, databaseUrl });
  const links: readonly Proxy[] = [pair.toBridge, pair.toServer];
  const met = (): number => links.reduce((sum, { faultCount }) => sum + faultCount, 0);
  try {
    await Load.saveSamples(pair.api);
    const load = new Load(pair.api, dice.fork("load"));
    const isEnough = (): boolean => links.every(({ faultCount }) => faultCount >= faults / links.length);
    for (let spell = 1; !isEnough() && spell * RUNS_PER_SPELL <= RUNS_MAX; spell += 1) {
      load.start(RUNS_PER_SPELL);
      for (const link of links) link.weather = { kind: "foul", share: SHARE };
      await pause(dice.below(SPELL_MS_MAX));
      if (spell % 3 === 0) await swallow(dice.pick(links), dice.below(HOLE_MS_MAX));
      note?.(`spell ${spell}: ${met()} of ${faults} faults`);
    }
    for (const link of links) link.weather = { kind: "fair" };
    await load.settle(END_MS);
    const verdict = await judgePair(pair, load, { callsPerSend: 1, mayFailWith: EXCUSES });
    // No process was killed: whatever came however often, it was executed once.
    const repeated = repeatedIn(readLedger(pair.ledger)).map((id) => `${id} was executed again`);
    const kinds = FAULTS.filter((fault) => links.every((link) => link.faults.has(fault))).length;
    return { ...verdict, violations: [...verdict.violations, ...repeated], faults: met(), kinds };
  } finally {
    await pair.dispose();
  }
}

async function swallow(link: Proxy, ms: number): Promise<void> {
  link.weather = { kind: "hole" };
  await pause(ms);
  link.weather = { kind: "foul", share: SHARE };
}
