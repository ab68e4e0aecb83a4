import { allSteps, type Catalog, type Definition, stepsInside, type WorkflowRef } from "../definition/index.ts";
import { findLensVersion } from "./lens-node.ts";

/**
 * Returns the objects that a run of the definition needs and the catalog does not contain, each once, in definition order.
 * Empty when the plan can run.
 */
export function missingForRun(definition: Definition, catalog: Catalog): readonly string[] {
  const missing = new Set<string>();
  const workflows = catalog.workflows === null ? null : new Set(catalog.workflows);
  const needWorkflow = (ref: WorkflowRef | null): void => {
    if (ref !== null && workflows?.has(ref.name) !== true) missing.add(`workflow "${ref.name}"`);
  };
  const isGraph = definition.format !== "lobsterx";
  for (const step of isGraph ? stepsInside(definition) : allSteps(definition)) {
    if (step.unresolvedLibraryStep !== null) missing.add(`library step "${step.unresolvedLibraryStep}"`);
    needWorkflow(step.workflowRef);
    for (const tool of step.stepTools) if (tool.kind === "workflow") needWorkflow(tool.workflow);
  }
  if (!isGraph) return [...missing];
  for (const node of definition.nodes) {
    if (node.lensId !== null && findLensVersion(node, catalog) === null) {
      const version = node.versionId === null ? "" : `, version "${node.versionId}"`;
      missing.add(`lens "${node.lensId}"${version}`);
    }
    needWorkflow(node.workflowRef);
  }
  return [...missing];
}
