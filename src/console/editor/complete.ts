import type { JsonObject } from "../../core/base/index.ts";
import { type DeclaredNames, declaredNames, type KnownNames } from "./names.ts";
import { keysOf, schemasAt, valuesOf } from "./schema-walk.ts";
import { placeAt, type YamlPlace } from "./yaml-place.ts";

export interface Offer {
  readonly label: string;
  /** Text that is inserted. */
  readonly text: string;
  readonly detail: string;
  readonly info: string;
  readonly kind: "key" | "word" | "name";
}

export interface Offers {
  /** Offset at which the word to replace begins. */
  readonly from: number;
  readonly options: readonly Offer[];
}

export interface Schemas {
  readonly lobsterx: JsonObject;
  readonly lensGraph: JsonObject;
}

/** Returns completions for an offset of the text. Null when there are none. */
export function completeAt(text: string, offset: number, schemas: Schemas, known: KnownNames): Offers | null {
  const declared = declaredNames(text);
  const reference = referenceAt(text, offset, declared);
  if (reference !== null) return reference;
  const place = placeAt(text, offset);
  if (place === null) return null;
  const found = schemasAt(declared.isLensGraph ? schemas.lensGraph : schemas.lobsterx, place.path);
  const names = namesFor(place, declared, known).map(([name, detail]) => offer(name, "name", detail));
  // Where an entry may be a name or a map, names come first because they are used more often.
  const keys = place.kind === "member" ? keyOffers(found, place) : [];
  const options = [
    ...names,
    ...keys,
    ...valuesOf(found).map(({ text: word, description, isDefault }) =>
      offer(word, "word", isDefault ? "default" : "", description),
    ),
  ].filter(({ label }) => label !== "");
  return options.length === 0 ? null : { from: place.from, options };
}

function keyOffers(schemas: readonly JsonObject[], place: YamlPlace): readonly Offer[] {
  return keysOf(schemas)
    .filter(({ name }) => !place.keys.has(name))
    .map(({ name, shape, description, isRequired }) => ({
      label: name,
      text: `${name}: `,
      detail: isRequired ? `${shape} · required` : shape,
      info: description,
      kind: "key",
    }));
}

function offer(label: string, kind: Offer["kind"], detail = "", info = ""): Offer {
  return { label, text: label, detail, info, kind };
}

type Named = readonly (readonly [name: string, detail: string])[];

function labelled(names: readonly string[], detail: string): Named {
  return names.map((name) => [name, detail]);
}

/** Returns names that fit the key of the value. */
function namesFor(place: YamlPlace, declared: DeclaredNames, known: KnownNames): Named {
  const key = place.path.findLast((segment) => typeof segment === "string");
  switch (key) {
    case "depends_on":
    case "step":
      return labelled(declared.steps, "step");
    case "source_node_id":
    case "target_node_id":
      return labelled(declared.steps, "node");
    case "phase":
      return labelled(declared.phases, "phase");
    case "role":
      return labelled(declared.roles, "role");
    case "agent":
      return labelled(known.agents, "agent");
    case "tools":
      return labelled(known.tools, "tool");
    case "model":
    case "model_id":
      return labelled(known.models, "model");
    case "library_step":
      return labelled(known.library, "library step");
    case "lens_id":
      return labelled(known.lenses, "lens");
    case "workflow_ref":
    case "workflow":
      return labelled(known.workflows, "workflow");
    default:
      return [];
  }
}

/** Returns references that may be used inside `${…}` or `[[…]]`. */
function referenceAt(text: string, offset: number, declared: DeclaredNames): Offers | null {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  const open = (declared.isLensGraph ? /\[\[([\w-]*)$/ : /\$\{([\w.-]*)$/).exec(line);
  if (open === null) return null;
  const written = open[1] ?? "";
  const [, step] = /^([\w-]+)\.[\w]*$/.exec(written) ?? [];
  if (step !== undefined && declared.steps.includes(step)) {
    const parts = ["outputs", "stdout", "json", "approved", "error"].map((part) => offer(part, "name", `of ${step}`));
    return { from: offset - (written.length - step.length - 1), options: parts };
  }
  const args = declared.args.map((name) => offer(name, "name", "arg"));
  const steps = declared.isLensGraph ? [] : declared.steps.map((name) => offer(name, "name", "step"));
  const options = [...args, ...steps];
  return options.length === 0 ? null : { from: offset - written.length, options };
}
