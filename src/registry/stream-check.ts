import { getOwn, isJsonObject, type JsonObject, LIMITS, type Problem } from "../core/base/index.ts";
import { type Catalog, parseLens } from "../core/definition/index.ts";
import { readSource } from "../core/text/index.ts";
import { manifestProblems, placedIn } from "./apply-plan.ts";
import type { Manifest, ManifestStream } from "./manifest.ts";
import { specProblem } from "./spec-problem.ts";
import { libraryNames, namesUnder } from "./surroundings.ts";

/** Returns all problems of a stream of manifests that can be found without a server. */
export function checkManifestStream(stream: ManifestStream, catalog: Catalog): readonly Problem[] {
  const seen = new Set<string>();
  const found = stream.manifests.flatMap((manifest) => {
    const key = JSON.stringify([manifest.kind, manifest.name]);
    const isTwice = manifest.name !== "" && seen.has(key);
    seen.add(key);
    return isTwice ? [twice(manifest)] : manifestProblems(manifest, catalogBeside(manifest, stream.manifests, catalog));
  });
  const placed = found.map(({ line = 1, column = 1, ...problem }): Problem => ({ ...problem, line, column }));
  return [...stream.problems, ...placed]
    .sort((left, right) => left.line - right.line || left.column - right.column)
    .slice(0, LIMITS.problemsMax);
}

function twice(manifest: Manifest): ReturnType<typeof manifestProblems>[number] {
  const message = `${manifest.kind} "${manifest.name}" is given twice.`;
  const problem = specProblem("duplicate_id", ["name"], message, { hint: "Keep one of them." });
  return placedIn(manifest, problem);
}

/**
 * Returns the catalog for a workflow of the stream: entries of the stream and of the given library. When one entry is
 * in neither, it may be registered on the server, so nothing of its kind is reported as missing.
 */
function catalogBeside({ kind, spec }: Manifest, stream: readonly Manifest[], given: Catalog): Catalog {
  const source = kind === "Workflow" && isJsonObject(spec) ? getOwn(spec, "source") : undefined;
  const document = typeof source === "string" ? readSource(source).tree?.value : undefined;
  if (document === undefined || !isJsonObject(document)) return given;
  const library = { ...given.library, ...specsOf("LibraryStep", stream) };
  const lenses = {
    ...given.lenses,
    ...Object.fromEntries(
      Object.entries(specsOf("Lens", stream)).map(([id, body]) => {
        const parsed = parseLens(id, body);
        return [id, parsed.ok ? parsed.value : { id, versions: [] }];
      }),
    ),
  };
  return {
    library: hasAll(library, libraryNames(document)) ? library : null,
    lenses: hasAll(lenses, namesUnder(document, "nodes", "lens_id")) ? lenses : null,
    workflows: null,
  };
}

function hasAll(entries: object, names: ReadonlySet<string>): boolean {
  return [...names].every((name) => Object.hasOwn(entries, name));
}

function specsOf(kind: string, stream: readonly Manifest[]): Readonly<Record<string, JsonObject>> {
  const named = stream.filter((one) => one.kind === kind && one.name !== "");
  return Object.fromEntries(named.flatMap(({ name, spec }) => (isJsonObject(spec) ? [[name, spec] as const] : [])));
}
