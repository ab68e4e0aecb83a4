import { endServer, serverRoot } from "./server.ts";

/** The server starts when a test first asks for it; here it only ends, with the suite. */
export async function teardown(): Promise<void> {
  await endServer(serverRoot(process.pid));
}
