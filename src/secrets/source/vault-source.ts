import { fail, getOwn, isJsonObject, type Json, type Outcome, succeed } from "../../core/base/index.ts";
import { type PeerAgent, type PeerReply, requestPeer } from "../../outbound/index.ts";
import type { VaultOrigin } from "../../registry/index.ts";
import type { SecretSource } from "./secret-source.ts";

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 1_048_576;

/** Reads the key-value store of Vault, version 2, or any server with the same protocol. The agent restricts its address. */
export function createVaultSource(agent: PeerAgent): SecretSource<"vault"> {
  return {
    kind: "vault",
    read: async (origin, { valueOf }) => {
      const token = await valueOf(origin.token);
      if (!token.ok) return token;
      const reply = await requestPeer(addressOf(origin), {
        method: "GET",
        headers: {
          accept: "application/json",
          "x-vault-request": "true",
          "x-vault-token": token.value,
          ...(origin.namespace === undefined ? {} : { "x-vault-namespace": origin.namespace }),
        },
        timeoutMs: TIMEOUT_MS,
        bytesMax: BYTES_MAX,
        agent,
      });
      if (!reply.ok) return fail(`Vault cannot be asked: ${reply.message}`);
      return fieldIn(reply, origin);
    },
  };
}

function addressOf({ url, mount, path }: VaultOrigin): string {
  return `${url.replace(/\/+$/, "")}/v1/${mount}/data/${path}`;
}

/** The messages repeat nothing of the response, which may contain other secrets. */
function fieldIn({ status, text }: PeerReply, { mount, path, field }: VaultOrigin): Outcome<string, string> {
  const place = `${mount}/${path}`;
  if (status === 404) return fail(`Vault has no secret at ${place}.`);
  if (status === 401 || status === 403) return fail(`Vault does not let its token read ${place} (status ${status}).`);
  if (status !== 200) return fail(`Vault answered with status ${status} for ${place}.`);
  const data = memberOf(memberOf(parsed(text), "data"), "data");
  const value = memberOf(data, field);
  return typeof value === "string" ? succeed(value) : fail(`The secret ${place} of Vault has no text "${field}".`);
}

function memberOf(owner: Json | undefined, key: string): Json | undefined {
  return owner !== undefined && isJsonObject(owner) ? getOwn(owner, key) : undefined;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
