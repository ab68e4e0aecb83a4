export type { AboutRun, AdmittedAttempt, Admission, Changes, Judge, Ruling } from "./judge.ts";
export { createAllowAllJudge, createRoutingJudge } from "./open-judge.ts";
