import type { DispatchFacts } from "../facts.ts";
import { type Gate, PASS } from "../gate.ts";
import { callFactsOf } from "../node-call-facts.ts";
import type { CallFacts } from "../tool-fact.ts";
import { toolAllowed } from "./tool-allowed.ts";
import { toolRate } from "./tool-rate.ts";

function ofCall(gate: Gate<CallFacts>): Gate<DispatchFacts> {
  return {
    name: gate.name,
    evaluate(facts) {
      const call = callFactsOf(facts);
      return call === null ? PASS : gate.evaluate(call);
    },
  };
}

export const nodeToolAllowed = ofCall(toolAllowed);
export const nodeToolRate = ofCall(toolRate);
