import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostOffice, type PostOffice } from "../channels/post-office.ts";
import { Prng } from "../simulation/prng.ts";
import { type PostgresInstance, startPostgres } from "./support/postgres-instance.ts";
import { withReplicaPair } from "./support/replica-pair.ts";
import { prepareProgram } from "./support/server-process.ts";
import { PATIENCE_MS, waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const KILLS = 4;
const RUNS_PER_LIFE = 4;
const ASK = `name: ask
steps:
  - { id: decide, name: "May \${run.id} go on?", approval: required }
`;

describe("two replicas of which one is killed while a channel sends", () => {
  let postgres: PostgresInstance;
  let office: PostOffice;
  beforeAll(async () => {
    prepareProgram();
    [postgres, office] = await Promise.all([startPostgres(), openPostOffice()]);
  }, 5 * MINUTES);
  afterAll(async () => {
    await office.close();
    await postgres.dispose();
  });

  it(
    `write about every approval, in ${KILLS} kills`,
    async () => {
      const dice = new Prng(9);
      await withReplicaPair(postgres.url, async ({ api, killNext }) => {
        await api.putWorkflow("ask", ASK);
        await api.put("/channels/mail", {
          type: "email",
          host: "127.0.0.1",
          port: office.port,
          from: "sluice@example.com",
          to: ["boss@example.com"],
          notify: [{ on: "approval.requested" }],
        });
        const starting: Promise<{ readonly id: string }>[] = [];
        for (let kill = 0; kill < KILLS; kill += 1) {
          for (let count = 0; count < RUNS_PER_LIFE; count += 1) starting.push(api.startRun("ask", `${kill}-${count}`));
          await pause(dice.below(1_500));
          await killNext();
        }
        const runIds = (await Promise.all(starting)).map(({ id }) => id);
        const missing = (): readonly string[] =>
          runIds.filter((runId) => !office.letters.some(({ text = "" }) => text.includes(runId)));
        await waitFor("a letter about every approval", async () => missing().length === 0, {
          patienceMs: PATIENCE_MS,
          everyMs: 250,
        });
        // What was under way at a kill may be sent again, and nothing else.
        const about = (runId: string): number => office.letters.filter(({ text = "" }) => text.includes(runId)).length;
        expect(runIds.filter((runId) => about(runId) > 2)).toEqual([]);
        expect(await api.listApprovals("pending")).toHaveLength(runIds.length);
      });
    },
    15 * MINUTES,
  );
});
