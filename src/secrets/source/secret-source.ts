import type { Outcome } from "../../core/base/index.ts";
import type { SecretOrigin } from "../../registry/index.ts";

/** Access to other secrets that a source may need while it reads. */
export interface SourceReading {
  /** Returns the value of `secret://NAME` in the origin itself, such as the token of Vault. */
  readonly valueOf: (reference: string) => Promise<Outcome<string, string>>;
}

/**
 * An outside source for values of secrets. It is read at every use and caches nothing, so that a value changed there
 * takes effect at once. A failure is a sentence for the operator and contains no value.
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
