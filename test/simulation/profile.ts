import type { Prng } from "./prng.ts";

/** How unkind the world of one schedule is. Every number is a probability unless its name says otherwise. */
export interface Profile {
  readonly name: "calm" | "busy" | "storm";
  /** Adapter behaviour. */
  readonly fail: number;
  readonly badOutput: number;
  readonly hang: number;
  readonly deferred: number;
  readonly stream: number;
  readonly slow: number;
  /** Network between driver and adapters. */
  readonly duplicate: number;
  readonly loss: number;
  /** The driver. */
  readonly crashBeforeCommit: number;
  readonly crashAfterCommit: number;
  readonly conflict: number;
  readonly repeatInput: number;
  /** Governance. */
  readonly hasLimits: boolean;
  readonly hold: number;
  readonly finalBlock: number;
  readonly oddVerdict: number;
  readonly pausedAgent: number;
  /** People. */
  readonly ignore: number;
  readonly reject: number;
  readonly race: number;
  readonly cancel: number;
  readonly rewind: number;
  readonly recover: number;
  readonly restart: number;
  readonly branch: number;
}

const CALM: Profile = {
  name: "calm",
  fail: 0.02,
  badOutput: 0,
  hang: 0,
  deferred: 0.03,
  stream: 0.2,
  slow: 0,
  duplicate: 0.1,
  loss: 0,
  crashBeforeCommit: 0,
  crashAfterCommit: 0,
  conflict: 0,
  repeatInput: 0.2,
  hasLimits: false,
  hold: 0.02,
  finalBlock: 0,
  oddVerdict: 0,
  pausedAgent: 0,
  ignore: 0,
  reject: 0,
  race: 0.1,
  cancel: 0,
  rewind: 0,
  recover: 0,
  restart: 0.05,
  branch: 0.03,
};

const BUSY: Profile = {
  name: "busy",
  fail: 0.1,
  badOutput: 0.03,
  hang: 0.02,
  deferred: 0.05,
  stream: 0.2,
  slow: 0.03,
  duplicate: 0.2,
  loss: 0.1,
  crashBeforeCommit: 0.01,
  crashAfterCommit: 0.015,
  conflict: 0.02,
  repeatInput: 0.1,
  hasLimits: true,
  hold: 0.06,
  finalBlock: 0.01,
  oddVerdict: 0.01,
  pausedAgent: 0.1,
  ignore: 0.1,
  reject: 0.1,
  race: 0.2,
  cancel: 0.12,
  rewind: 0.08,
  recover: 0.3,
  restart: 0.15,
  branch: 0.05,
};

const STORM: Profile = {
  ...BUSY,
  name: "storm",
  fail: 0.25,
  badOutput: 0.08,
  hang: 0.06,
  slow: 0.1,
  duplicate: 0.4,
  loss: 0.3,
  crashBeforeCommit: 0.04,
  crashAfterCommit: 0.06,
  conflict: 0.06,
  finalBlock: 0.03,
  oddVerdict: 0.03,
  pausedAgent: 0.3,
  ignore: 0.2,
  reject: 0.2,
  cancel: 0.3,
  rewind: 0.25,
  recover: 0.5,
  restart: 0.25,
};

/** No faults and no limits, but every policy at work: the ground on which orders are compared. */
export const ORDERLY: Profile = {
  ...CALM,
  fail: 0.15,
  badOutput: 0.05,
  hang: 0.03,
  hold: 0.05,
  ignore: 0.1,
  reject: 0.2,
  race: 0,
  restart: 0,
  branch: 0,
  repeatInput: 0,
};

export function drawProfile(rng: Prng): Profile {
  const roll = rng.float();
  return roll < 0.3 ? CALM : roll < 0.7 ? BUSY : STORM;
}
