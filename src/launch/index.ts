export { openChildPreparer } from "./child-preparer.ts";
export { launchFacts } from "./launch-facts.ts";
export type {
  BranchFrom,
  LaunchCaller,
  Launcher,
  LaunchIdempotency,
  LaunchRefusal,
  LaunchRequest,
  LaunchResult,
  Relauncher,
} from "./launcher.ts";
export { storeUnsavedWorkflow, type UnsavedWorkflow } from "./unsaved-workflow.ts";
export { gatherPins } from "./pinning.ts";
export { Recoverer } from "./recoverer.ts";
export { argsFor, RunLauncher } from "./run-launcher.ts";
export { RunRelauncher } from "./run-relauncher.ts";
