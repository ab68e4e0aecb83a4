import type { PeerAgent } from "../../outbound/index.ts";
import { createEnvSource } from "./env-source.ts";
import { createFileSource } from "./file-source.ts";
import type { SecretSources } from "./secret-source.ts";
import { createVaultSource } from "./vault-source.ts";

export interface SourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Guards where Vault may be. */
  readonly agent: PeerAgent;
}

/** The sources of a server, as its environment sets them: SLUICE_SECRETS_ENV and SLUICE_SECRETS_DIR. */
export function openSources({ env, agent }: SourceOptions): SecretSources {
  const names = (env["SLUICE_SECRETS_ENV"] ?? "").split(",").map((name) => name.trim());
  return {
    env: createEnvSource({ env, names: names.filter((name) => name !== "") }),
    file: createFileSource(env["SLUICE_SECRETS_DIR"] || null),
    vault: createVaultSource(agent),
  };
}
