import type { Server } from "node:http";

/** Closes them with whatever is connected, and forgets them. */
export async function closeServers(servers: Server[]): Promise<void> {
  await Promise.all(
    servers.splice(0).map((server) => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    }),
  );
}
