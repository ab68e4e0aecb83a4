import { formatPath, isJsonArray, isJsonObject, type Json, type Problem } from "../core/base/index.ts";
import { looksLikeCases, readCases } from "../core/cases/index.ts";
import { type Catalog, definitionHashOf, findSecretLiterals } from "../core/definition/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { readDocuments, type SourceTree } from "../core/text/index.ts";
import { checkManifestStream, readManifestStream } from "../registry/index.ts";
import { bridgeConfigProblems, isBridgeConfig } from "./bridge-config.ts";
import { formatCount } from "./figures.ts";
import type { SourceFile } from "./source-file.ts";

/** A file of any kind that Sluice reads, with its problems. */
export interface CheckedFile {
  readonly file: SourceFile;
  /** Short description of a valid file, for example `review, 5 nodes`. */
  readonly summary: string;
  /** Only present for a valid workflow. */
  readonly definitionHash?: string;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Checks a file. Its content determines its kind: workflow, cases, manifests or Bridge configuration. */
export async function checkFile(file: SourceFile, catalog: Catalog): Promise<CheckedFile> {
  const { trees } = readDocuments(file.bytes);
  if (trees.some(({ value }) => isManifest(value) || (isJsonArray(value) && value.some(isManifest)))) {
    return checkManifests(file, catalog);
  }
  const [tree] = trees;
  if (trees.length === 1 && tree !== undefined && isJsonObject(tree.value) && isBridgeConfig(tree.value)) {
    return checkBridge(file, tree);
  }
  if (trees.length === 1 && tree !== undefined && looksLikeCases(tree.value)) {
    const { file: read, problems } = readCases(file.bytes);
    return { file, summary: formatCount(read?.cases.length ?? 0, "case"), problems, warnings: [] };
  }
  const { plan, problems, warnings } = checkSource(file.bytes, catalog);
  const summary = plan === null ? "" : `${plan.name}, ${formatCount(plan.nodes.length, "node")}`;
  const definitionHash = plan === null ? null : definitionHashOf(file.bytes);
  return { file, summary, ...(definitionHash === null ? {} : { definitionHash }), problems, warnings };
}

function isManifest(value: Json): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "kind") && !Object.hasOwn(value, "steps");
}

function checkManifests(file: SourceFile, catalog: Catalog): CheckedFile {
  const stream = readManifestStream(file.bytes);
  const problems = checkManifestStream(stream, catalog);
  return { file, summary: formatCount(stream.manifests.length, "manifest"), problems, warnings: [] };
}

/** Checks a Bridge configuration. A secret in it is only a warning, because the file stays with the Bridge. */
async function checkBridge(file: SourceFile, tree: SourceTree): Promise<CheckedFile> {
  const warnings = findSecretLiterals(tree.value).map(({ path, message }): Problem => {
    const hint = "Write secret://NAME where the adapter takes it, and keep the secret in the environment.";
    return { code: "secret_literal", message, path: formatPath(path), ...tree.placeOf(path), hint };
  });
  return { file, summary: "configuration of a Bridge", problems: await bridgeConfigProblems(tree), warnings };
}
