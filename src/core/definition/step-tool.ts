import type { JsonObject } from "../base/index.ts";
import type { WorkflowRef } from "./definition.ts";

/** A tool that comes with the step and is run by the server: another workflow, or a script. */
export type StepTool =
  /** Its args are those of the workflow, its result are the outputs of the run. */
  | { readonly kind: "workflow"; readonly name: string; readonly workflow: WorkflowRef }
  | {
      readonly kind: "script";
      readonly name: string;
      readonly description: string | null;
      readonly code: string;
      /** JSON Schema of its args, which the code reads as `inputs`. */
      readonly parameters: JsonObject;
    };

/** What begins the name of a tool that is a workflow. */
export const WORKFLOW_TOOL = "workflow:";
