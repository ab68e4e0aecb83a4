export { Governor, type GovernorOptions } from "./governor.ts";
export type { AboutRun, AdmittedAttempt, Admission, Changes, Judge, Ruling } from "./judge.ts";
export { createAllowAllJudge, createRoutingJudge } from "./open-judge.ts";
export type { Registered } from "./registered.ts";
export { RegisteredCache } from "./registered-cache.ts";
