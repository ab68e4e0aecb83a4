import { setTimeout as pause } from "node:timers/promises";
import { openPostgres } from "../../../src/store/postgres/index.ts";
import { Prng } from "../../simulation/prng.ts";
import { Api } from "./api.ts";
import { KEY, openGround } from "./kills.ts";
import { Load, type Verdict } from "./load.ts";
import { startServer } from "./server-process.ts";

export interface StormPlan {
  readonly seed: number;
  readonly storms: number;
  readonly databaseUrl: string;
  readonly runsPerStorm: number;
  readonly note?: (line: string) => void;
}

/** What a database says about itself: locked, serialised, deadlocked, full, shutting down, read only, broken. */
const STATES = ["55P03", "40001", "40P01", "53100", "53300", "57014", "25006", "58030", "XX000"];
const STORM_MS_MAX = 3_500;

/** Makes the database refuse commits with errors that are its own, again and again, and judges what became of the runs. */
export async function surviveStorms({ seed, storms, databaseUrl, runsPerStorm, note }: StormPlan): Promise<Verdict> {
  const dice = new Prng(seed);
  const ground = openGround();
  const { settings } = ground;
  const server = await startServer({ ...settings, command: "up", databaseUrl });
  const sql = openPostgres({ url: databaseUrl, connections: 1 });
  const run = (text: string): Promise<readonly unknown[]> => sql.query({ name: "", text });
  try {
    await run(`create table storm (state text not null, share float not null)`);
    // Reads what was set for it outside of any transaction it refuses.
    await run(`create function weather() returns trigger language plpgsql as $$
      declare now_state text;
      begin
        select state into now_state from storm where random() < share order by random() limit 1;
        if now_state is not null then raise exception 'weather' using errcode = now_state; end if;
        return new;
      end $$`);
    for (const table of ["run_heads", "open_attempts", "definitions"]) {
      await run(`create trigger weather before insert or update on ${table} for each row execute function weather()`);
    }
    const api = new Api(KEY, () => [server.url]);
    await Load.saveSamples(api);
    const load = new Load(api, dice.fork("load"));
    for (let storm = 1; storm <= storms; storm += 1) {
      load.start(runsPerStorm);
      await pause(dice.below(500));
      const share = dice.below(2) === 0 ? 1 : 0.2;
      for (const state of STATES.filter(() => dice.below(2) === 0))
        await run(`insert into storm values ('${state}', ${share})`);
      load.start(runsPerStorm);
      const stormMs = dice.below(STORM_MS_MAX);
      await pause(stormMs);
      await run("delete from storm");
      note?.(`storm ${storm} of ${storms}: ${stormMs} ms`);
    }
    await load.settle();
    const verdict = await load.judge(settings.ledger, { overlapMs: 0 });
    return server.isAlive ? verdict : { ...verdict, violations: [...verdict.violations, "the server ended"] };
  } finally {
    await server.kill();
    await sql.close();
    ground.dispose();
  }
}
