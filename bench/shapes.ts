/** Plans of one shape at any size, for benchmarks. */
import { EMPTY_CATALOG } from "../src/core/definition/index.ts";
import { checkSource, type Plan } from "../src/core/plan/index.ts";

export interface Shape {
  readonly name: string;
  readonly source: (nodes: number) => string;
  readonly args?: (nodes: number) => { readonly [name: string]: readonly number[] };
}

interface StepSource {
  readonly id: string;
  readonly command: string;
  readonly depends_on?: readonly string[];
  readonly for_each?: string;
  readonly max_items?: number;
}

const step = (index: number, parents: readonly number[] = []): StepSource => ({
  id: `n${index}`,
  command: "go",
  ...(parents.length === 0 ? {} : { depends_on: parents.map((parent) => `n${parent}`) }),
});

const document = (steps: readonly StepSource[], more: object = {}) =>
  JSON.stringify({ name: "bench", max_parallel: 10_000, ...more, steps });

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

/** A small fixed generator: the same plan on every machine. */
function createDice(seed: number): (sides: number) => number {
  let value = seed;
  return (sides) => {
    value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0;
    return value % sides;
  };
}

export const SHAPES: readonly Shape[] = [
  {
    name: "chain",
    source: (nodes) => document(range(nodes).map((index) => step(index, index === 0 ? [] : [index - 1]))),
  },
  {
    name: "fan-out",
    source: (nodes) => document(range(nodes).map((index) => step(index, index === 0 ? [] : [0]))),
  },
  {
    name: "random (3 parents)",
    source: (nodes) => {
      const dice = createDice(7);
      return document(
        range(nodes).map((index) => step(index, [...new Set(range(Math.min(3, index)).map(() => dice(index)))])),
      );
    },
  },
  {
    name: "for_each",
    source: (nodes) =>
      document([{ id: "each", command: "go ${item}", for_each: "list", max_items: 10_000 }], {
        args: { list: { type: "array", default: range(nodes - 1) } },
      }),
  },
];

export function shapeOf(name: string): Shape {
  const shape = SHAPES.find((candidate) => candidate.name === name);
  if (shape === undefined) throw new Error(`there is no shape ${name}`);
  return shape;
}

export function planOf(source: string): Plan {
  const { plan, problems } = checkSource(source, EMPTY_CATALOG);
  if (plan === null) throw new Error(problems.map((problem) => problem.message).join("\n"));
  return plan;
}
