import { didYouMean, getOwn, type TreePath } from "../base/index.ts";
import type { Lens } from "./definition.ts";
import type { RawLensNode } from "./lens-graph-shape.ts";
import { WORK } from "./lens-inside.ts";
import { spelledPath } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";

export interface NodeIndex {
  /** Index of the first node with each id. */
  readonly ids: ReadonlyMap<string, number>;
  /** Ids that are invalid. An edge to one of them is not reported a second time. */
  readonly brokenIds: ReadonlySet<string>;
  /** The nodes that end the run, with the field that does so. They leave no failure to handle. */
  readonly endings: ReadonlyMap<string, (typeof ENDINGS)[number]>;
}

export const ENDINGS = ["cancel", "fail"] as const;

/** Objects outside the graph that a node may name. Null when there is no list to check against. */
interface Registries {
  readonly lenses: Readonly<Record<string, Lens>> | null;
  readonly workflows: ReadonlySet<string> | null;
}

/** Checks one node for contradicting fields and unknown names. */
export function checkNode(node: Located<RawLensNode>, registries: Registries, report: Report): void {
  const { read, path } = node;
  const config = read.config?.read ?? {};
  const at = (name: string): TreePath => spelledPath(read.config?.raw, [...path, "config"], name);
  const hasLens = read.lens_id !== undefined;
  if (hasLens && config.template_body !== undefined) {
    conflict(at("template_body"), `A node with "lens_id" takes its template from the lens.`, report);
  }
  if (config.workflow_ref !== undefined && (hasLens || config.template_body !== undefined)) {
    const other = hasLens ? "lens_id" : "template_body";
    conflict(at("workflow_ref"), `A node has either "workflow_ref" or "${other}".`, report);
  }
  for (const held of WORK) {
    if (config[held] === undefined) continue;
    const others = { lens_id: read.lens_id, template_body: config.template_body, workflow_ref: config.workflow_ref };
    const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
    if (other !== undefined) conflict(at(held), `A node has either "${held}" or "${other}".`, report);
  }
  if (config.outputs !== undefined && config.steps === undefined) {
    conflict(at("outputs"), `"outputs" has no effect without "steps".`, report);
  }
  if (config.for_each !== undefined && config.repeat !== undefined) {
    conflict(at("for_each"), `A node has either "for_each" or "repeat".`, report);
  }
  if (config.with !== undefined && config.workflow_ref === undefined) {
    conflict(at("with"), `"with" has no effect without "workflow_ref".`, report);
  }
  if (read.version_id !== undefined && !hasLens) {
    conflict([...path, "version_id"], `"version_id" has no effect without "lens_id".`, report);
  }
  if (config.on_parent_failure === "substitute_default") {
    const message = `"substitute_default" runs the node on made-up values when a parent has failed.`;
    const hint = "Use skip or propagate in new graphs.";
    report.warning("legacy_policy", at("on_parent_failure"), message, { hint });
  }
  checkLensName(read, path, registries.lenses, report);
  const { workflow_ref: workflow } = config;
  const { workflows } = registries;
  if (workflow !== undefined && workflows?.has(workflow.name) === false) {
    const hint = (): string | undefined => didYouMean(workflow.name, workflows);
    report.problem("unknown_workflow", at("workflow_ref"), `There is no workflow "${workflow.name}".`, { hint });
  }
}

function checkLensName(raw: RawLensNode, path: TreePath, lenses: Registries["lenses"], report: Report): void {
  const { lens_id: lensId, version_id: versionId } = raw;
  if (lensId === undefined || lenses === null) return;
  const lens = getOwn(lenses, lensId);
  if (lens === undefined) {
    const hint = (): string | undefined => didYouMean(lensId, Object.keys(lenses));
    report.problem("unknown_library_step", [...path, "lens_id"], `There is no lens "${lensId}".`, { hint });
    return;
  }
  // A lens without versions is invalid, which is reported at the lens.
  if (
    versionId === undefined ||
    lens.versions.length === 0 ||
    lens.versions.some((version) => version.id === versionId)
  )
    return;
  const ids = lens.versions.map((version) => version.id);
  const message = `Lens "${lensId}" has no version "${versionId}".`;
  report.problem("unknown_library_step", [...path, "version_id"], message, { hint: () => didYouMean(versionId, ids) });
}

function conflict(path: TreePath, message: string, report: Report): void {
  report.problem("conflicting_fields", path, message, { isAtKey: true, hint: "Remove one of them." });
}
