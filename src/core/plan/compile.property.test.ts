import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareCodeUnits, type Json, required } from "../base/index.ts";
import { EMPTY_CATALOG } from "../definition/index.ts";
import { checkSource, describePlan, layersOf, type Plan, type PlanNode, type Reference } from "./index.ts";

interface Draft {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly declares: readonly string[];
  readonly reads: readonly string[];
}

const NAMES = ["alpha", "beta", "gamma"] as const;
const ARGS = ["alpha", "delta"] as const;

/** Ids in another order than the graph's. */
function idOf(at: number): string {
  return `s${(at * 7) % 13}`;
}

/** Steps that depend on earlier ones, declare and read a few names, written in any order. */
const drafts: fc.Arbitrary<readonly Draft[]> = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(11), { maxLength: 3 }),
      declares: fc.subarray([...NAMES]),
      reads: fc.subarray([...NAMES, "delta", "nothing"]),
      key: fc.nat(1_000),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((rows) =>
    rows
      .map((row, at) => ({
        key: row.key,
        draft: {
          id: idOf(at),
          dependsOn: [...new Set(row.parents.filter((parent) => parent < at).map(idOf))],
          declares: row.declares,
          reads: row.reads,
        },
      }))
      .sort((left, right) => left.key - right.key)
      .map(({ draft }) => draft),
  );

function planOf(steps: readonly Draft[]): Plan {
  const source: Json = {
    name: "random",
    args: Object.fromEntries(ARGS.map((name) => [name, { type: "string" }])),
    steps: steps.map((step) => ({
      id: step.id,
      command: `go ${step.reads.map((name) => `\${${name}}`).join(" ")}`,
      depends_on: step.dependsOn,
      outputs: Object.fromEntries(step.declares.map((name) => [name, "string"])),
    })),
  };
  const { plan, problems } = checkSource(JSON.stringify(source), EMPTY_CATALOG, { isStored: true });
  expect(problems).toEqual([]);
  return required(plan, "a plan");
}

function ancestorsByHand(steps: readonly Draft[], id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (each: string): void => {
    for (const parent of steps.find((step) => step.id === each)?.dependsOn ?? []) {
      if (found.has(parent)) continue;
      found.add(parent);
      visit(parent);
    }
  };
  visit(id);
  return found;
}

function referencesOf(node: PlanNode): readonly Reference[] {
  return node.body.kind === "step" ? [...node.body.scope.values()] : [];
}

describe("compilePlan", () => {
  it("resolves every variable to the last declaring ancestor, else the arg, else nothing", () => {
    fc.assert(
      fc.property(drafts, (steps) => {
        const plan = planOf(steps);
        for (const step of steps) {
          const node = required(plan.nodes[plan.indexById.get(step.id) ?? -1], step.id);
          const ancestors = ancestorsByHand(steps, step.id);
          const found = new Map(referencesOf(node).map(({ text, origin, rest }) => [text, { origin, rest }]));
          for (const name of step.reads) {
            const winner = plan.nodes.findLast(
              ({ id }) => ancestors.has(id) && steps.find((each) => each.id === id)?.declares.includes(name),
            );
            const expected =
              winner !== undefined
                ? { origin: { kind: "node", node: winner.index, part: "outputs" }, rest: [name] }
                : ARGS.some((arg) => arg === name)
                  ? { origin: { kind: "arg", name }, rest: [] }
                  : { origin: { kind: "missing" }, rest: [] };
            expect(found.get(`\${${name}}`)).toEqual(expected);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it("lets a reference point at ancestors only, and describes the same graph the steps wrote", () => {
    fc.assert(
      fc.property(drafts, (steps) => {
        const plan = planOf(steps);
        for (const node of plan.nodes) {
          const ancestors = ancestorsByHand(steps, node.id);
          for (const { origin } of referencesOf(node)) {
            if (origin.kind === "node") expect(ancestors).toContain(plan.nodes[origin.node]?.id);
          }
        }
        const layers = layersOf(plan);
        expect(layers.flat()).toEqual(plan.nodes.map((node) => node.id));
        expect(describePlan(plan).nodes).toEqual(
          plan.nodes.map((node) =>
            expect.objectContaining({
              id: node.id,
              wave: layers.findIndex((layer) => layer.includes(node.id)),
              dependsOn: steps.find((step) => step.id === node.id)?.dependsOn.toSorted(compareCodeUnits),
            }),
          ),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("does not depend on the order of the steps in the file", () => {
    fc.assert(
      fc.property(drafts, (steps) => {
        expect(planOf(steps.toReversed())).toEqual(planOf(steps));
      }),
      { numRuns: 100 },
    );
  });
});
