export { type ChildPreparerOptions, openChildPreparer } from "./child-preparer.ts";
export type { Launcher, LaunchRefusal, LaunchResult, LaunchRequest } from "./launcher.ts";
export { keepPiece, type UnsavedPiece } from "./piece.ts";
export { gatherPins, type Pinning } from "./pinning.ts";
export { Recoverer, type RecovererOptions } from "./recoverer.ts";
export { argsFor, RunLauncher, type RunLauncherOptions } from "./run-launcher.ts";
