import { describe, expect, it } from "vitest";
import { runOf, workflow } from "../../../test/conformance/rig.ts";
import type { JsonObject } from "../base/index.ts";
import { type Catalog, EMPTY_CATALOG } from "../definition/index.ts";

const CHARGE = {
  input: { type: "object", properties: { cents: { type: "integer", minimum: 1 } }, required: ["cents"] },
  output: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  action: "financial",
  effects: "at_most_once",
} as const;
const catalog: Catalog = { ...EMPTY_CATALOG, functions: { "charge-card": CHARGE } };

const charge = (args: JsonObject, more = "") => {
  const line = `a {command: x, inputs: {cents: '\${cents}'}${more}}`;
  const source = workflow([line], "args: {cents: {type: number}}").replace("command: x", "function: charge-card");
  return runOf(source, { args, catalog });
};

describe("a step that calls a function of a worker", () => {
  it("is sent by the name of the function, with its inputs, and answers with data", () => {
    const rig = charge({ cents: 5 });
    expect(rig.dispatch("a").request).toMatchObject({
      message: "charge-card",
      inputs: { cents: 5 },
      outputStrategy: "json",
    });
    expect(rig.complete("a", { outputs: { id: "c1" } }).outputs("a")).toEqual({ id: "c1", cents: 5 });
  });

  it("is not sent what does not fit its schema, and says where and why", () => {
    const rig = charge({ cents: 0 });
    expect(rig.dispatches).toEqual([]);
    const [violated] = rig.of("contract.violated", "a");
    expect(violated).toMatchObject({ phase: "input", errors: [{ field: "inputs", reason: "schema_violation" }] });
    const { details } = violated?.errors[0] ?? {};
    expect(details).toContain("cents");
    expect(rig.of("node.failed", "a")).toMatchObject([
      {
        errorCode: "input_contract_violation",
        errorMessage: `the inputs of a break their contract: inputs schema_violation (${details})`,
      },
    ]);
  });

  it("is held to what its function returns, whatever the step declares", () => {
    for (const more of ["", ", outputs: {sum: {type: number, required: false}}"]) {
      const rig = charge({ cents: 5 }, more).complete("a", { outputs: { id: 7, sum: 1 } });
      expect(rig.error("a")).toBe("output_contract_violation");
      expect(rig.of("contract.violated", "a")).toMatchObject([{ phase: "output", errors: [{ field: "outputs" }] }]);
    }
    const declared = charge({ cents: 5 }, ", outputs: {sum: number}").complete("a", { outputs: { id: 7 } });
    expect(declared.of("contract.violated", "a")).toMatchObject([
      { errors: [{ field: "sum", reason: "missing_required" }] },
    ]);
  });
});
