import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAllowList } from "./allow-list.ts";
import { fetchGuarded } from "./guarded-fetch.ts";
import { requestPeer } from "./peer.ts";

/** Made for this test, signed by itself, for a name that does not exist. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEmx5wLwjmJuP/sqG
tfvBYpO0iV6Q2r5LvOxnDnLihTGhRANCAAQDXjv60ltflCtpAt7QfBUXafX59gXw
YI8ZNK6L7A9vSTtXYCQhKJkxwGyvk6atxxJ0YK4tdRkZAaBSjpQKBaTg
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUD/qW6QfboAujq47TDhv7n7eQ4HAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNd3JvbmcuZXhhbXBsZTAgFw0yNjExMTUxMjQ1MjRaGA8yMTI2
MTAyMjEyNDUyNFowGDEWMBQGA1UEAwwNd3JvbmcuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABANeO/rSW1+UK2kC3tB8FRdp9fn2BfBgjxk0rovsD29J
O1dgJCEomTHAbK+Tpq3HEnRgri11GRkBoFKOlAoFpOCjUzBRMB0GA1UdDgQWBBSO
HhaL++SKBPH6RVnHj6n6oNojbDAfBgNVHSMEGDAWgBSOHhaL++SKBPH6RVnHj6n6
oNojbDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIHvm4/1ASaQH
hRXStBbzw3JOh+0M9ahGLnLN7i99/XS2AiAbdtjS7vV9wGDgRQTZP6veCo7Mq3LN
v4GvzhJA7WUgKg==
-----END CERTIFICATE-----
`;

let requests = 0;
const server = createServer({ key: KEY, cert: CERTIFICATE }, (_, response) => {
  requests += 1;
  response.end("x");
});
beforeEach(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterEach(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

describe("an untrusted certificate", () => {
  it("ends a request before anything of it is sent", async () => {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const allow = createAllowList(["127.0.0.1"]);
    expect(await requestPeer(url, { method: "GET", bytesMax: 10 })).toMatchObject({
      reason: "unreachable",
      wasSent: false,
    });
    expect(await fetchGuarded(url, { method: "GET", ...(allow.ok ? { allow: allow.value } : {}) })).toMatchObject({
      code: "url_unreachable",
      message: expect.stringContaining("certificate") as string,
    });
    expect(requests).toBe(0);
  });
});
