import {
  modelsSchema,
  type ProviderModels,
  type ProviderSecrets,
  referencesSchema,
  turnsSchema,
} from "../bridge/index.ts";
import { getOwn, type JsonObject } from "../core/base/index.ts";

/** The facts that the instance of a gateway has reported about itself. */
export interface InstanceFacts {
  /** URL of the server where the instance registered. It reports there, whichever replica dispatches. */
  readonly callbackBase: string | null;
  /** By provider. */
  readonly models: Readonly<Record<string, ProviderModels>>;
  readonly turns: Readonly<Record<string, string>>;
  /** Registered secrets that its configuration refers to, by provider. */
  readonly secrets: ProviderSecrets;
}

const NO_FACTS: InstanceFacts = { callbackBase: null, models: {}, turns: {}, secrets: {} };

/** Reads stored facts. Only this room writes them, but possibly in another version of the program. */
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
