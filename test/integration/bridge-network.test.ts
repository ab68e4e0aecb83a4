import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../simulation/prng.ts";
import { judgePair } from "./support/bridge-judge.ts";
import { surviveBadNetwork } from "./support/bridge-network.ts";
import { Pair } from "./support/bridge-pair.ts";
import { liveByCalls } from "./support/kills.ts";
import { Load } from "./support/load.ts";
import { startPostgres } from "./support/postgres-instance.ts";
import { FAULTS } from "./support/proxy.ts";
import { callProgram, prepareProgram } from "./support/server-process.ts";

const MINUTES = 60_000;
const CALLBACK = /^POST \/api\/workflow\/step-complete/;

/** Undone in reverse, whatever happened. */
const undo: (() => Promise<void> | void)[] = [];

describe("a server and its Bridge", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it(
    "lose nothing and execute nothing twice over a network that delays, cuts, repeats and swallows, both ways",
    async () => {
      const again = "again with: npm run campaign -- --store network --kills 80 --seed 4";
      const verdict = await surviveBadNetwork({ seed: 4, faults: 80, databaseUrl: null });
      expect(verdict.violations, again).toEqual([]);
      expect(verdict.repeatedCalls, again).toBe(0);
      expect(verdict.completed / verdict.runs, again).toBeGreaterThan(0.8);
      // Every kind of fault was met on either link, or little was proved.
      expect(verdict.kinds).toBe(FAULTS.length);
    },
    10 * MINUTES,
  );

  it(
    "work over two replicas: results come in through the one that did not ask, also when one is killed",
    async () => {
      const postgres = await startPostgres();
      undo.push(() => postgres.dispose());
      callProgram(["migrate", "--database-url", postgres.url]);
      const dice = new Prng(6);
      const pair = await Pair.open({ dice, databaseUrl: postgres.url, servers: 2 });
      undo.push(() => pair.dispose());
      await Load.saveSamples(pair.api);
      const load = new Load(pair.api, dice.fork("load"));
      load.start(10);
      await liveByCalls(pair.ledger, dice);
      await pair.killServer(0);
      load.start(4);
      await load.settle();
      const verdict = await judgePair(pair, load);
      expect(verdict.violations).toEqual([]);
      expect(verdict.runs).toBe(14);
      expect(verdict.completed / verdict.runs).toBeGreaterThan(0.8);
      // The Bridge was never killed, so nothing that was sent again was executed again.
      expect(verdict.repeatedCalls).toBe(0);
      expect(pair.toServer.requests.filter((line) => CALLBACK.test(line)).length).toBeGreaterThan(20);
    },
    10 * MINUTES,
  );
});
