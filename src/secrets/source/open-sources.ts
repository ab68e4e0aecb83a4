import type { PeerAgent } from "../../outbound/index.ts";
import { createEnvSource } from "./env-source.ts";
import { createFileSource } from "./file-source.ts";
import type { SecretSources } from "./secret-source.ts";
import { createVaultSource } from "./vault-source.ts";

export interface SourceOptions {
  /** Variables of the server that secrets may name, with what they are set to. */
  readonly variables: Readonly<Record<string, string>>;
  /** The folder with files that secrets may name; null: there is none. */
  readonly directory: string | null;
  /** Guards where Vault may be. */
  readonly agent: PeerAgent;
}

/** The sources of a server. */
export function openSources({ variables, directory, agent }: SourceOptions): SecretSources {
  return {
    env: createEnvSource(variables),
    file: createFileSource(directory),
    vault: createVaultSource(agent),
  };
}
