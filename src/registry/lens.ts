import { z } from "zod";
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  jsonToText,
  type Json,
  type JsonObject,
  required,
  sameJson,
} from "../core/base/index.ts";
import { type Lens, parseLens } from "../core/definition/index.ts";
import type { Entry } from "../store/index.ts";
import { anyMap } from "./field.ts";
import { type SpecCode, specProblem, type SpecProblem } from "./spec-problem.ts";

/** Describes the fields only; the reader of lenses checks them. */
export const lensSpec = z.object({
  versions: z
    .array(anyMap)
    .describe(
      "Versions, oldest first: id, template_body, input_contract, output_contract, required_tools, required_tier, role_tag",
    ),
});

export function lensProblems(name: string, written: Json): readonly SpecProblem[] {
  const parsed = parseLens(name, written);
  if (parsed.ok) return [];
  return parsed.failure.map(({ path, code, message, hint }) =>
    specProblem(code as SpecCode, path, message, { isAtKey: code === "unknown_key", hint }),
  );
}

export function lensOf({ id, body }: Entry): Lens {
  const parsed = parseLens(id, body);
  return required(parsed.ok ? parsed.value : undefined, "a kept lens was read before");
}

/** Reports changed versions: runs name the versions they used, so a saved version must never change. */
export function lensChangeProblems(body: JsonObject, before: JsonObject | undefined): readonly SpecProblem[] {
  const kept = new Map((before === undefined ? [] : versionsOf(before)).map((version) => [version["id"], version]));
  return versionsOf(body).flatMap((version, index) => {
    const old = kept.get(version["id"]);
    if (old === undefined || sameJson(old, version)) return [];
    const message = `Version "${jsonToText(version["id"])}" exists already with another content.`;
    const hint = "Versions never change: give the new text an id of its own, and leave the old version as it is.";
    return [specProblem("conflicting_fields", ["versions", index], message, { hint })];
  });
}

function versionsOf(body: JsonObject): readonly JsonObject[] {
  const versions = getOwn(body, "versions");
  return isJsonArray(versions) ? versions.filter(isJsonObject) : [];
}
