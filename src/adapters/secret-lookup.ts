import type { FindSecret, SecretReference } from "../adapter/index.ts";
import { fail, type Outcome, secretNamesIn, succeed } from "../core/base/index.ts";
import type { Environment } from "./environment.ts";

/** Returns the value of `secret://NAME`. A failure is a sentence that begins with its code. */
export type SecretLookup = (name: string) => Outcome<string, string>;

/** Finds secrets first in the dispatch, for this tool, and then in the environment of the Bridge. */
export function secretLookup(env: Environment, find: FindSecret | undefined, tool: string | null): SecretLookup {
  return (name) => {
    const handed = find?.(name, tool);
    if (handed?.ok === true) return handed;
    const own = ownSecret(env, name);
    if (own !== undefined) return succeed(own);
    if (handed !== undefined) return fail(`${handed.failure.code}: ${handed.failure.message}`);
    return fail(
      `unknown_secret: No secret "${name}" came with the dispatch, and the environment variable ${name} is not set.`,
    );
  };
}

function ownSecret(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === "" ? undefined : value;
}

type Headers = Readonly<Record<string, string>>;

/** Returns the secrets that headers name, each with the tool that the headers belong to. */
export function secretsInHeaders(headersOf: Iterable<readonly [string, Headers]>): readonly SecretReference[] {
  const found = [...headersOf].flatMap(([tool, headers]) =>
    Object.values(headers).flatMap((value) => secretNamesIn(value).map((name) => ({ name, tool }))),
  );
  return found.filter((one, at) => found.findIndex(({ name, tool }) => name === one.name && tool === one.tool) === at);
}

/** Returns a health message about secrets that are not in the environment, because they may come with each dispatch. */
export function awaitedSecrets(references: readonly SecretReference[], env: Environment): string | null {
  const awaited = references.filter(({ name }) => ownSecret(env, name) === undefined).map(({ name }) => name);
  if (awaited.length === 0) return null;
  return `Not in the environment, and awaited with each dispatch: ${[...new Set(awaited)].join(", ")}.`;
}
