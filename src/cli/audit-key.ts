import { randomBytes } from "node:crypto";
import { createSigner, isPublicKey } from "../audit/index.ts";
import { getOwn, isJsonArray, isJsonObject, type Json } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printFacts, printJson } from "./listing.ts";
import { Refusal } from "./refusal.ts";

const FORMER_KEYS = "SLUICE_AUDIT_FORMER_KEYS";
const SEED = "SLUICE_AUDIT_SEED";
const SEED_BYTES = 32;

/** Reads the public keys of former signers from the environment. */
export function readFormerKeys(env: Io["env"]): readonly string[] {
  const keys = (env[FORMER_KEYS] ?? "").split(/[\s,]+/).filter((key) => key !== "");
  const wrong = keys.findIndex((key) => !isPublicKey(key));
  // The value may be a seed by mistake, so it is not printed.
  if (wrong !== -1) {
    throw new Refusal(
      `${FORMER_KEYS}: number ${wrong + 1} is no public key; it looks like ed25519:…, and \`sluice audit key\` shows it`,
    );
  }
  return keys;
}

export interface AuditKeyOptions {
  readonly new?: boolean;
  readonly json?: boolean;
}

/** Prints the key with which a server signs its audit log. With `--new`, prints the settings for a new key. */
export async function showAuditKey(io: Io, api: Api, options: AuditKeyOptions): Promise<number> {
  const { key, formerKeys } = await keysOf(api);
  if (options.new !== true) {
    if (options.json === true) printJson(io, { key, formerKeys });
    else printFacts(io, [["key", key], ...formerKeys.map((former) => ["before", former] as const)]);
    return EXIT.fine;
  }
  const seed = randomBytes(SEED_BYTES).toString("hex");
  const next = createSigner(seed).key;
  const former = [key, ...formerKeys];
  if (options.json === true) printJson(io, { seed, key: next, formerKeys: former });
  else {
    io.out.write(`${SEED}=${seed}\n${FORMER_KEYS}=${former.join(",")}\n`);
    io.err.write(`the new key is ${next}\n`);
    io.err.write("  hint: the seed is a secret; set both on every server, and restart them\n");
  }
  return EXIT.fine;
}

/** Reads the keys from the header line of an export. */
async function keysOf(api: Api): Promise<{ readonly key: string; readonly formerKeys: readonly string[] }> {
  const header = readHeader(await firstLine(await api.exportAudit()));
  if (header === null) {
    throw new Refusal("the server's export does not begin with the key it is signed with", EXIT.unreachable);
  }
  return header;
}

const HEADER_BYTES_MAX = 1_000_000;

async function firstLine(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n") || text.length > HEADER_BYTES_MAX) break;
  }
  return text.split("\n", 1)[0] ?? "";
}

function readHeader(line: string): { readonly key: string; readonly formerKeys: readonly string[] } | null {
  try {
    const header = JSON.parse(line) as Json;
    if (!isJsonObject(header)) return null;
    const key = getOwn(header, "key");
    const former = getOwn(header, "formerKeys");
    if (typeof key !== "string" || !isPublicKey(key) || !isJsonArray(former)) return null;
    return { key, formerKeys: former.filter((one) => typeof one === "string" && isPublicKey(one)) as string[] };
  } catch {
    return null;
  }
}
