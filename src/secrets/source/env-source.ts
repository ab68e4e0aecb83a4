import { fail, succeed } from "../../core/base/index.ts";
import type { SecretSource } from "./secret-source.ts";

export interface EnvSourceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Only these: others, such as the key of the server itself, are for no organisation. */
  readonly names: readonly string[];
}

/** Variables of the server that its operator lists. */
export function createEnvSource({ env, names }: EnvSourceOptions): SecretSource<"env"> {
  return {
    kind: "env",
    read: async (name) => {
      if (!names.includes(name)) return fail(`The variable ${name} is not in SLUICE_SECRETS_ENV of the server.`);
      const value = Object.hasOwn(env, name) ? (env[name] ?? "") : "";
      return value === "" ? fail(`The variable ${name} of the server is not set.`) : succeed(value);
    },
  };
}
