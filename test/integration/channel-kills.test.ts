import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPostOffice, type PostOffice } from "../channels/post-office.ts";
import { Prng } from "../simulation/prng.ts";
import { Api } from "./support/api.ts";
import { KEY, openGround } from "./support/kills.ts";
import { type PostgresInstance, startPostgres } from "./support/postgres-instance.ts";
import { callProgram, prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";
import { PATIENCE_MS, waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const KILLS = 6;
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
      const ground = openGround();
      const settings = { ...ground.settings, command: "serve", databaseUrl: postgres.url } as const;
      callProgram(["migrate", "--database-url", postgres.url]);
      const servers: (ServerProcess | null)[] = [await startServer(settings), await startServer(settings)];
      try {
        const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
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
          const victim = kill % servers.length;
          const dying = servers[victim];
          servers[victim] = null;
          await dying?.kill();
          servers[victim] = await startServer(settings);
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
      } finally {
        for (const server of servers) await server?.kill();
        ground.dispose();
      }
    },
    15 * MINUTES,
  );
});
