import type { JsonObject } from "../../../core/base/index.ts";
import type { Known } from "../../../core/expression/index.ts";
import { policyFacts } from "../../../core/governance/index.ts";
import type { ReferenceOffer } from "../../form/form-context.ts";

const WORDS: Readonly<Record<Known["kind"], string>> = {
  any: "any value",
  number: "number",
  boolean: "true or false",
  text: "text",
  list: "list",
  object: "map: name a field of it",
};

/** Returns the facts that a condition of a policy can use, in the spelling of manifests. */
export function factOffers({ category }: JsonObject): readonly ReferenceOffer[] {
  const known = category === "tool" || category === "run_creation" ? category : "guardrail";
  return offersIn(policyFacts(known), "");
}

function offersIn(known: Known, path: string): readonly ReferenceOffer[] {
  if (known.kind !== "object" || known.isOpen) return [{ path, detail: WORDS[known.kind] }];
  return [...known.fields].flatMap(([name, member]) => {
    // A fact with two spellings is offered only in the spelling of manifests.
    const isOther = known.fields.has(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    if (isOther && /[A-Z]/.test(name)) return [];
    return offersIn(member, path === "" ? name : `${path}.${name}`);
  });
}
