import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that speaks as much of Vault's protocol as reading a secret takes: KV version 2, by token. */
export interface TestVault {
  readonly url: string;
  readonly host: string;
  /** By mount and path: `secret/apps/billing`. */
  readonly secrets: Map<string, Readonly<Record<string, unknown>>>;
  /** What was asked, with the namespace. */
  readonly asked: string[];
  token: string;
  close(): Promise<void>;
}

export async function openVault(): Promise<TestVault> {
  const secrets: TestVault["secrets"] = new Map();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { "x-vault-token": token, "x-vault-namespace": namespace = "" } = request.headers;
    asked.push(`${request.method} ${request.url} ${String(namespace)}`.trim());
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (token !== vault.token) return answer(403, { errors: ["permission denied"] });
    const [, mount = "", path = ""] = /^\/v1\/([^/]+)\/data\/(.+)$/.exec(request.url ?? "") ?? [];
    const data = secrets.get(`${mount}/${path}`);
    if (data === undefined) return answer(404, { errors: [] });
    return answer(200, { data: { data, metadata: { version: 1, destroyed: false } } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const vault: TestVault = {
    url: `http://${host}`,
    host,
    secrets,
    asked,
    token: "hvs.the-token",
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return vault;
}
