export { type BrowserProblem, checkBrowserRun } from "./check-run.ts";
export type {
  BrowserHooks,
  BrowserProvider,
  BrowserRequest,
  BrowserResult,
  ChatProvider,
  Execute,
} from "./provider.ts";
export { type BrowserRun, type BrowserRunOptions, runInBrowser } from "./run.ts";
export { type BrowserWorkflow, readWorkflow } from "./workflow.ts";
