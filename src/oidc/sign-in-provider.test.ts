import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { PeerAgent } from "../outbound/index.ts";
import { SignInProvider } from "./sign-in-provider.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

it("asks a provider that is away once, and again after a moment", async () => {
  let asked = 0;
  let isUp = false;
  server = createServer((request, reply) => {
    asked += 1;
    const issuer = `http://${request.headers.host}`;
    const metadata = { issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    reply.writeHead(isUp ? 200 : 503, { "content-type": "application/json" });
    reply.end(isUp ? JSON.stringify({ ...metadata, jwks_uri: `${issuer}/jwks` }) : "");
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  let now = 0;
  const provider = new SignInProvider({
    settings: {
      name: "company",
      label: "Company",
      issuer: `http://127.0.0.1:${port}`,
      clientId: "sluice",
      clientSecret: null,
      scopes: ["openid"],
      roleClaim: "sluice_role",
      groupsClaim: "groups",
      organisation: { name: "default" },
      trustsEmail: false,
    },
    agent: new PeerAgent(),
    monotonic: () => now,
  });
  const begin = () => provider.begin("http://127.0.0.1/auth/company/callback");
  for (let tries = 0; tries < 3; tries += 1) expect((await begin()).ok).toBe(false);
  expect(asked).toBe(1);
  isUp = true;
  now = 4_999;
  expect((await begin()).ok).toBe(false);
  now = 5_000;
  expect((await begin()).ok).toBe(true);
  expect((await begin()).ok).toBe(true);
  expect(asked).toBe(2);
});
