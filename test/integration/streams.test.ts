import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Prng } from "../simulation/prng.ts";
import { Api, type RunOnWire } from "./support/api.ts";
import { KEY, openGround } from "./support/kills.ts";
import { startPostgres } from "./support/postgres-instance.ts";
import { callProgram, prepareProgram, startServer } from "./support/server-process.ts";
import { followRestlessly, readStream } from "./support/stream-client.ts";
import { waitFor } from "./support/waiting.ts";
import { FOLLOWED } from "./support/workload.ts";

const MINUTES = 60_000;
const STREAMS = 1_000;
/** As many as one key may have. */
const STREAMS_PER_KEY = 50;

/** Undone in reverse, whatever happened. */
const undo: (() => Promise<void> | void)[] = [];

/** A run that waits at its first node until it is approved. */
async function startFollowed(api: Api): Promise<RunOnWire> {
  await api.putWorkflow(FOLLOWED.name, FOLLOWED.source);
  return api.startRun(FOLLOWED.name, "followed");
}

async function letGo(api: Api): Promise<void> {
  await waitFor("the approval to be asked for", async () => (await api.listApprovals("pending")).length > 0);
  for (const { id } of await api.listApprovals("pending")) {
    await waitFor("the answer to be taken", async () => {
      const status = await api.tryPost(`/approvals/${id}/resolve`, { decision: "approve" });
      return status === 200 || status === 409;
    });
  }
}

describe("event streams", () => {
  beforeAll(() => prepareProgram(), 5 * MINUTES);
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step();
  });

  it(
    "show every event once to clients that lose their connection, and their server, all the time",
    async () => {
      const postgres = await startPostgres();
      undo.push(() => postgres.dispose());
      const ground = openGround();
      undo.push(() => ground.dispose());
      callProgram(["migrate", "--database-url", postgres.url]);
      const settings = { ...ground.settings, command: "serve", databaseUrl: postgres.url } as const;
      const [first, second] = await Promise.all([startServer(settings), startServer(settings)]);
      undo.push(
        () => first.kill(),
        () => second.kill(),
      );
      const urls = [first.url, second.url];
      const api = new Api(KEY, () => urls);
      const { id } = await startFollowed(api);
      const dice = new Prng(5);
      const following = Array.from({ length: 12 }, (_, index) =>
        followRestlessly(api, id, dice.fork(`client ${index}`)),
      );
      await letGo(api);
      await waitFor("the run to be on its way", async () => (await api.getRun(id)).lastEventId > 60);
      urls.shift();
      await first.kill();
      const logs = await Promise.all(following);
      const log = await api.readLog(id);
      expect(log.map(({ eventId }) => eventId)).toEqual(log.map((_, index) => index + 1));
      for (const seen of logs) expect(seen).toEqual(log);
    },
    10 * MINUTES,
  );

  it(
    `carry one run to ${STREAMS} followers at once`,
    async () => {
      const ground = openGround();
      undo.push(() => ground.dispose());
      const server = await startServer({ ...ground.settings, command: "up", databaseUrl: null });
      undo.push(() => server.kill());
      const api = new Api(KEY, () => [server.url]);
      const { id } = await startFollowed(api);
      const url = `${server.url}/api/v1/runs/${id}/events/stream`;
      let open = 0;
      const onFrame = ({ eventId }: { readonly eventId: number }): void => {
        if (eventId === 1) open += 1;
      };
      const keys = await Promise.all(
        Array.from({ length: STREAMS / STREAMS_PER_KEY }, async (_, index) => {
          const key = await api.viewerKey(`follower ${index}`);
          return { authorization: `Bearer ${key}` };
        }),
      );
      const streams = Array.from({ length: STREAMS }, (_, index) =>
        readStream({ url, headers: keys[index % keys.length] ?? {}, framesMax: Number.POSITIVE_INFINITY, onFrame }),
      );
      await waitFor("all streams to be open", () => Promise.resolve(open === STREAMS));
      await letGo(api);
      const connections = await Promise.all(streams);
      const log = await api.readLog(id);
      const wanted = log.map(({ eventId }) => eventId).join();
      const wrong = connections.filter(({ frames }) => frames.map(({ eventId }) => eventId).join() !== wanted);
      expect(wrong.map(({ status, frames }) => ({ status, read: frames.length }))).toEqual([]);
      expect(log.at(-1)?.type).toBe("run.completed");
    },
    10 * MINUTES,
  );
});
