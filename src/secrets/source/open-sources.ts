import type { PeerAgent } from "../../outbound/index.ts";
import { createEnvSource } from "./env-source.ts";
import { createFileSource } from "./file-source.ts";
import type { SecretSources } from "./secret-source.ts";
import { createVaultSource } from "./vault-source.ts";

export interface SourceOptions {
  /** Variables of the server that secrets may name, with their values. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folder of files that secrets may name; null when there is none. */
  readonly directory: string | null;
  /** Restricts the addresses Vault may have. */
  readonly agent: PeerAgent;
}

/** Opens the secret sources of a server. */
export function openSources({ variables, directory, agent }: SourceOptions): SecretSources {
  return {
    env: createEnvSource(variables),
    file: createFileSource(directory),
    vault: createVaultSource(agent),
  };
}
