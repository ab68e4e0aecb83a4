/** Organisations of a server that is measured, and requests in their name. */
import { setTimeout as pause } from "node:timers/promises";
import { HEADERS, type Server } from "./server.ts";

export interface Tenant {
  readonly headers: Readonly<Record<string, string>>;
}

export async function makeTenant(server: Server, id: string): Promise<Tenant> {
  const made = await ask(server, "POST", "/api/v1/organisations", { headers: HEADERS }, { id });
  const { key } = JSON.parse(made) as { readonly key: { readonly key: string } };
  return { headers: { ...HEADERS, authorization: `Bearer ${key.key}` } };
}

/** A request that is refused because of load is repeated. */
export async function ask(
  { pool }: Server,
  method: "GET" | "POST" | "PUT",
  path: string,
  { headers }: Tenant,
  body?: object,
): Promise<string> {
  for (;;) {
    const sent = body === undefined ? null : JSON.stringify(body);
    const reply = await pool.request({ method, path, headers, body: sent });
    const text = await reply.body.text();
    if (reply.statusCode < 300) return text;
    if (reply.statusCode !== 429 && reply.statusCode !== 503) throw new Error(`${path}: ${reply.statusCode} ${text}`);
    await pause(100);
  }
}
