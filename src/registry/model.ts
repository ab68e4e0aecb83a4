import { getOwn, type JsonObject } from "../core/base/index.ts";
import type { ModelPrice } from "../core/governance/index.ts";
import type { Entry } from "../store/index.ts";
import { microsOf, name, readBody, spec, usd, whole } from "./field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

export const modelSpec = spec({
  provider: name.nullish().describe("Provider of the model. The name may contain it instead: openai:gpt-5"),
  input_usd_per_mtok: usd.describe("US dollars per million input tokens"),
  output_usd_per_mtok: usd.describe("US dollars per million output tokens"),
  cached_usd_per_mtok: usd.nullish().describe("US dollars per million cached input tokens"),
  max_output_tokens: whole(1).nullish().describe("Maximum number of output tokens, for reservations"),
});

export function modelProblems(id: string, written: JsonObject): readonly SpecProblem[] {
  const provider = getOwn(written, "provider");
  if ((provider !== undefined && provider !== null) || id.includes(":")) return [];
  const hint = `Add "provider", or call it provider:${id}.`;
  return [
    specProblem("missing_field", ["provider"], `A model needs "provider", or a name that begins with it.`, { hint }),
  ];
}

export function modelOf({ id, body }: Entry): ModelPrice {
  const written = readBody(modelSpec, body);
  const { provider } = written;
  const isPrefixed = provider === undefined || id.startsWith(`${provider}:`);
  return {
    id: isPrefixed ? id : `${provider}:${id}`,
    inputMicrosPerMtok: microsOf(written.input_usd_per_mtok),
    outputMicrosPerMtok: microsOf(written.output_usd_per_mtok),
    cachedMicrosPerMtok: written.cached_usd_per_mtok === undefined ? null : microsOf(written.cached_usd_per_mtok),
    maxOutputTokens: written.max_output_tokens ?? null,
  };
}
