import { randomBytes } from "node:crypto";
import { reseal, type SourceOptions } from "../secrets/index.ts";
import type { Store } from "../store/index.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";
import { Refusal } from "./refusal.ts";

/** The key that seals secrets, and the former keys that sealed secrets before. */
export interface SecretKeys {
  /** Null when the installation uses its own key, which is in the database. */
  readonly secretKey: string | null;
  readonly formerKeys: readonly string[];
}

const OWN_KEY_BYTES = 32;

/**
 * Returns the keys from the environment. When a key is set, secrets sealed with a former key, or with the installation's
 * own key, are sealed again with it.
 */
export async function openSecretKeys(
  env: Io["env"],
  store: Store,
  log: Pick<Log, "info" | "warn">,
): Promise<SecretKeys> {
  const secretKey = env["SLUICE_SECRET_KEY"] || null;
  const old = env["SLUICE_SECRET_KEY_OLD"] || null;
  if (secretKey === null) {
    if (old === null) return { secretKey, formerKeys: [] };
    throw new Refusal("SLUICE_SECRET_KEY_OLD is set without SLUICE_SECRET_KEY: set the new key, or remove the old one");
  }
  const formerKeys = old === null ? [] : [old];
  const own = await store.ensureSecret("secret_box", randomBytes(OWN_KEY_BYTES).toString("base64url"));
  const { resealed, unreadable } = await reseal({ store, key: secretKey, formerKeys: [...formerKeys, own] });
  if (resealed > 0) log.info(`${formatCount(resealed, "secret")} sealed again with SLUICE_SECRET_KEY`);
  if (unreadable > 0) {
    log.warn(
      `${formatCount(unreadable, "secret")} cannot be opened: SLUICE_SECRET_KEY is another key than they were ` +
        "sealed with; start with that one in SLUICE_SECRET_KEY_OLD, or set them again",
    );
  }
  return { secretKey, formerKeys };
}

/** Reads where the operator allows values of secrets to be kept outside the store. */
export function readSecretSources(env: Io["env"]): Pick<SourceOptions, "variables" | "directory"> {
  const names = (env["SLUICE_SECRETS_ENV"] ?? "").split(",").map((name) => name.trim());
  const variables = names.filter((name) => name !== "").map((name) => [name, env[name] ?? ""] as const);
  return { variables: Object.fromEntries(variables), directory: env["SLUICE_SECRETS_DIR"] || null };
}
