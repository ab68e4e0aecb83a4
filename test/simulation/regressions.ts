/** Seeds that once showed a fault, and what it was. They are played first, for ever. */
export const REGRESSION_SEEDS: readonly {
  readonly seed: number;
  readonly fault: string;
  /** It shows where agents work in rounds. */
  readonly hasTurns?: true;
}[] = [
  { seed: 80, fault: "a reminder submitted twice reminded twice" },
  { seed: 135, fault: "a reminder submitted twice reminded twice" },
  { seed: 3910, fault: "the run's timeout submitted twice began to time out twice" },
  { seed: 5795, fault: "the run's timeout submitted twice began to time out twice" },
  { seed: 1992, fault: "a halt while a reopened run was decided anew left nodes behind" },
  { seed: 3880, fault: "a halt while a reopened run was decided anew left nodes behind" },
  { seed: 852, fault: "a rewind took back instances that had settled before" },
  { seed: 1801, fault: "a rewind took back instances that had settled before" },
  { seed: 9278, fault: "a cancelled run ended before its child, whose deadline had passed" },
  { seed: 9912, fault: "a cancelled run ended before its child, whose deadline had passed" },
  { seed: 12371, fault: "a cancelled run ended before its child, whose deadline had passed" },
  { seed: 1190, fault: "a gate without an answer was dispatched after its escalation" },
  { seed: 3550, fault: "a step without an approval was dispatched after its escalation" },
  { seed: 1039354, fault: "a node waited for the place of a step whose block waits for an event" },
  { seed: 512014, fault: "an answered escalation began an eleventh call" },
];
