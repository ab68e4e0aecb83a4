import type { JsonObject } from "../base/index.ts";
import type { WorkflowRef } from "./definition.ts";

/** A tool that is defined in the step and run by the server: another workflow, or a script. */
export type StepTool =
  /** Its args are those of the workflow. Its result is the outputs of the run. */
  | { readonly kind: "workflow"; readonly name: string; readonly workflow: WorkflowRef }
  | {
      readonly kind: "script";
      readonly name: string;
      readonly description: string | null;
      readonly code: string;
      /** JSON Schema of its args, which the code reads as `inputs`. */
      readonly parameters: JsonObject;
    };

/** Prefix of the name of a tool that is a workflow. */
export const WORKFLOW_TOOL = "workflow:";
