import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type Context } from "oidc-provider";
import { SignInProvider, type SignInSettings } from "../../src/oidc/index.ts";
import { createAllowList, OutboundGuard, PeerAgent } from "../../src/outbound/index.ts";

export interface Account {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly sluice_role?: string | readonly string[];
  readonly groups?: readonly string[];
}

/** A provider of OpenID Connect on this machine, where everybody signs in by name alone. */
export interface LocalProvider {
  readonly issuer: string;
  /** By the name people sign in with; tests change it. */
  readonly accounts: Map<string, Account>;
  /** Where Sluice is; before that no browser can be sent back. */
  register(redirectUris: readonly string[]): void;
  /** It as Sluice knows it. */
  signIn(parts?: Partial<SignInSettings>): SignInProvider;
  close(): Promise<void>;
}

const SECRET = "a secret of the test provider";

export async function startProvider(): Promise<LocalProvider> {
  const accounts = new Map<string, Account>();
  let provider: Provider | null = null;
  const server: Server = createServer((request, response) => {
    if (provider === null) response.writeHead(503).end();
    else if (request.url?.startsWith("/interaction/")) void interact(provider, request, response);
    else provider.callback()(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const allow = createAllowList(["127.0.0.1"]);
  if (!allow.ok) throw new Error(allow.failure);
  const agent = new PeerAgent(new OutboundGuard({ allow: allow.value }));
  return {
    issuer,
    accounts,
    register(redirectUris) {
      provider = new Provider(issuer, configurationOf(accounts, redirectUris));
    },
    signIn: (parts = {}) =>
      new SignInProvider({
        agent,
        settings: {
          name: "test",
          label: "Test provider",
          issuer,
          clientId: "sluice",
          clientSecret: SECRET,
          scopes: ["openid", "email", "profile"],
          roleClaim: "sluice_role",
          groupsClaim: "groups",
          organisation: { name: "default" },
          trustsEmail: false,
          ...parts,
        },
      }),
    close: async () => {
      agent.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function configurationOf(accounts: ReadonlyMap<string, Account>, redirectUris: readonly string[]): object {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return {
    clients: [{ client_id: "sluice", client_secret: SECRET, redirect_uris: [...redirectUris] }],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "test" }] },
    cookies: { keys: ["a key for cookies"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "sluice_role", "groups"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => Promise.resolve({ sub: id, ...accounts.get(id) }),
    }),
    /** No person is asked whether Sluice may know them. */
    loadExistingGrant: async ({ oidc: { provider, client, session } }: Context) => {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
  };
}

const FORM = `<!doctype html><html lang="en"><title>Test provider</title>
<form method="post"><label>Name <input name="login" autofocus></label><button>Continue</button></form></html>`;

async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== "POST") {
    response.writeHead(200, { "content-type": "text/html" }).end(FORM);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const login = new URLSearchParams(Buffer.concat(chunks).toString("utf8")).get("login") ?? "";
  // The person "declines" cancels the sign-in.
  const result = login === "declines" ? { error: "access_denied" } : { login: { accountId: login } };
  await provider.interactionFinished(request, response, result);
}
