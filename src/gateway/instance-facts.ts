import {
  modelsSchema,
  type ProviderModels,
  type ProviderSecrets,
  referencesSchema,
  turnsSchema,
} from "../bridge/index.ts";
import { getOwn, type JsonObject } from "../core/base/index.ts";

/** What the instance that answers for a gateway has reported of itself. */
export interface InstanceFacts {
  /** The server it registered with, as it reaches it: it reports there, whichever replica dispatches. */
  readonly callbackBase: string | null;
  /** By provider. */
  readonly models: Readonly<Record<string, ProviderModels>>;
  readonly turns: Readonly<Record<string, string>>;
  /** Which registered secrets its configuration refers to; by provider. */
  readonly secrets: ProviderSecrets;
}

const NO_FACTS: InstanceFacts = { callbackBase: null, models: {}, turns: {}, secrets: {} };

/** Rows are written by this room only, but perhaps by another version of it. */
export function readFacts(written: JsonObject | null): InstanceFacts {
  if (written === null) return NO_FACTS;
  const callbackBase = getOwn(written, "callbackBase");
  const models = modelsSchema.safeParse(getOwn(written, "models") ?? {});
  const turns = turnsSchema.safeParse(getOwn(written, "turns") ?? {});
  const secrets = referencesSchema.safeParse(getOwn(written, "secrets") ?? {});
  return {
    callbackBase: typeof callbackBase === "string" ? callbackBase : null,
    models: models.success ? models.data : {},
    turns: turns.success ? turns.data : {},
    secrets: secrets.success ? secrets.data : {},
  };
}

export function factsJson(facts: InstanceFacts): JsonObject {
  return JSON.parse(JSON.stringify(facts)) as JsonObject;
}
