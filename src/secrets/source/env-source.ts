import { fail, getOwn, succeed } from "../../core/base/index.ts";
import type { SecretSource } from "./secret-source.ts";

/** Reads the variables the operator lists. Others, such as the key of the server, are not readable by organisations. */
export function createEnvSource(variables: Readonly<Record<string, string>>): SecretSource<"env"> {
  return {
    kind: "env",
    read: async (name) => {
      const value = getOwn(variables, name);
      if (value === undefined) return fail(`The variable ${name} is not in SLUICE_SECRETS_ENV of the server.`);
      return value === "" ? fail(`The variable ${name} of the server is not set.`) : succeed(value);
    },
  };
}
