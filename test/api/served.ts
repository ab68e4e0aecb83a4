import { serve, type Served } from "../../src/server/index.ts";
import { type Api, createApi } from "./fixture.ts";

/** An API that listens, with these workflows saved. */
export async function serveApi(script: string, sources: readonly string[]): Promise<{ api: Api; server: Served }> {
  const api = await createApi({}, script);
  for (const source of sources) await api.save(source);
  return { api, server: await serve({ app: api.app, port: 0, host: "127.0.0.1" }) };
}
