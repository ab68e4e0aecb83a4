import { ATTEMPT_FAULTS } from "./attempt-faults.ts";
import { COMMIT_FAULTS } from "./commit-faults.ts";
import type { Fault } from "./fault.ts";

export const DRIVER_FAULTS: readonly Fault[] = [...COMMIT_FAULTS, ...ATTEMPT_FAULTS];
