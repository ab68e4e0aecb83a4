import { Api } from "./api.ts";
import { KEY, openGround } from "./kills.ts";
import { callProgram, type ServerProcess, startServer } from "./server-process.ts";

/** Two replicas on one database, of which one at a time is killed and started again. */
export interface ReplicaPair {
  /** Asks whichever is alive. */
  readonly api: Api;
  /** Kills them in turn. */
  readonly killNext: () => Promise<void>;
}

export async function withReplicaPair(
  databaseUrl: string,
  scenario: (pair: ReplicaPair) => Promise<void>,
): Promise<void> {
  const ground = openGround();
  const settings = { ...ground.settings, command: "serve", databaseUrl } as const;
  callProgram(["migrate", "--database-url", databaseUrl]);
  const servers: (ServerProcess | null)[] = [await startServer(settings), await startServer(settings)];
  let kills = 0;
  try {
    await scenario({
      api: new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url]))),
      killNext: async () => {
        const victim = kills % servers.length;
        kills += 1;
        const dying = servers[victim];
        servers[victim] = null;
        await dying?.kill();
        servers[victim] = await startServer(settings);
      },
    });
  } finally {
    for (const server of servers) await server?.kill();
    ground.dispose();
  }
}
