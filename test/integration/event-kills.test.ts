import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { connect } from "../postgres/database.ts";
import { Prng } from "../simulation/prng.ts";
import { ownPostgres } from "./support/own-postgres.ts";
import { withReplicaPair } from "./support/replica-pair.ts";
import { PATIENCE_MS } from "./support/waiting.ts";

const MINUTES = 60_000;
const KILLS = 5;
const RUNS_PER_LIFE = 4;

/** The signal finds the node waiting, or is there before it; then the node of the other workflow waits for what that emits. */
const WAITS = `name: waits
steps:
  - { id: go, wait: { signal: go } }
  - { id: say, emit: { type: done, key: { run: one } }, depends_on: [go] }
`;
const LATE = `name: late
steps:
  - { id: rest, wait: 2 }
  - { id: go, wait: { signal: go }, depends_on: [rest] }
`;

describe("two replicas of which one is killed between an event and those who wait for it", () => {
  const databaseUrl = ownPostgres();

  it(
    `deliver each signal exactly once, in ${KILLS} kills`,
    async () => {
      const dice = new Prng(5);
      await withReplicaPair(databaseUrl(), async ({ api, killNext }) => {
        await api.putWorkflow("waits", WAITS);
        await api.putWorkflow("late", LATE);
        const signalled: Promise<string>[] = [];
        for (let kill = 0; kill < KILLS; kill += 1) {
          for (let count = 0; count < RUNS_PER_LIFE; count += 1) {
            const name = count % 2 === 0 ? "waits" : "late";
            const key = `${kill}-${count}`;
            signalled.push(
              api.startRun(name, key).then(async ({ id }) => {
                // The server that took it may have died before it could answer, and the run may be over when it is sent again.
                await api.signal(id, "go", `signal-${key}`).catch(() => undefined);
                // Sent again as by a client that got no answer: it is the same signal.
                await api.signal(id, "go", `signal-${key}`).catch(() => undefined);
                return id;
              }),
            );
          }
          await pause(dice.below(400));
          await killNext();
        }
        const runIds = await Promise.all(signalled);
        const until = Date.now() + PATIENCE_MS;
        for (const runId of runIds) {
          let { status } = await api.getRun(runId);
          while (status !== "completed" && Date.now() < until) {
            await pause(200);
            ({ status } = await api.getRun(runId));
          }
          const received = (await api.readLog(runId)).filter(({ type }) => type === "event.received");
          expect([runId, status, received.length]).toEqual([runId, "completed", 1]);
        }
        expect(await leftovers(databaseUrl())).toEqual({ waiters: 0, marked: 0 });
      });
    },
    15 * MINUTES,
  );
});

const LEFT = `select (select count(*)::int from event_waiters) as waiters,
  (select count(*)::int from received_events where marked_at is not null) as marked`;

/** The last marks go with the next round. */
async function leftovers(url: string): Promise<unknown> {
  const sql = connect(url, 1);
  try {
    for (let tries = 0; ; tries += 1) {
      const [left] = await sql.query<{ waiters: number; marked: number }>({ name: "", text: LEFT });
      if ((left?.waiters === 0 && left.marked === 0) || tries > 150) return left;
      await pause(200);
    }
  } finally {
    await sql.close();
  }
}
