export type { Launcher, LaunchRefusal, LaunchResult, RunWish } from "./launcher.ts";
