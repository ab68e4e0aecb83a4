import type { Outcome } from "../../core/base/index.ts";
import type { SecretOrigin } from "../../registry/index.ts";

/** What a source may ask while it reads. */
export interface SourceReading {
  /** The value behind `secret://NAME` in the origin itself, such as the token of Vault. */
  readonly valueOf: (reference: string) => Promise<Outcome<string, string>>;
}

/**
 * A place outside where values of secrets are kept. It is read at every use, so that a value that changes there counts
 * at once; it keeps nothing itself. A failure is a sentence for the operator and holds no value.
 */
export interface SecretSource<K extends keyof SecretOrigin = keyof SecretOrigin> {
  readonly kind: K;
  read(origin: NonNullable<SecretOrigin[K]>, reading: SourceReading): Promise<Outcome<string, string>>;
}

export interface SecretSources {
  readonly env: SecretSource<"env">;
  readonly file: SecretSource<"file">;
  readonly vault: SecretSource<"vault">;
}
