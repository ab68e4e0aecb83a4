import { isDeepStrictEqual } from "node:util";
import { getOwn, type Json, type JsonObject, jsonToText } from "../../../src/core/base/index.ts";
import { isTerminal } from "../../../src/core/event/index.ts";
import { isHeldUp, type NodeFacts, type RunFacts } from "../world/facts.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

const isComputed = ({ plan }: NodeFacts): boolean => plan.kind === "set" || plan.kind === "end";

/** What only calculates opens no attempt, settles in the commit that made it ready, and sets what the file says. */
export function computesAtOnce(): Checker {
  return {
    id: "set",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined || !isComputed(node)) return;
      const fail = (message: string) => new Violation("set", facts.runId, `${node.id} ${message}`);
      if (event.type === "node.started" || event.type === "gate.decided") throw fail("only calculates, and is sent");
      if (event.type !== "node.completed" || node.plan.kind !== "set" || event.payload.carried === true) return;
      if (facts.workflow.isBlock) return;
      if (node.plan.forEach !== null && node.owner === null) return;
      const { rounds: _rounds, exhausted: _exhausted, ...set } = event.payload.outputs;
      const wanted = node.plan.body.kind === "lens" ? setByNode(facts) : setByStep(facts, node, set);
      if (!isDeepStrictEqual(set, wanted))
        throw fail(`sets ${JSON.stringify(event.payload.outputs)} instead of ${JSON.stringify(wanted)}`);
    },
    afterTurn(facts: RunFacts): void {
      if (isTerminal(facts.status) || isHeldUp(facts)) return;
      for (const node of facts.nodes.values()) {
        if (node.status === "queued" && isComputed(node))
          throw new Violation("set", facts.runId, `${node.id} only calculates, and waits`);
      }
    },
  };
}

function setByStep({ args }: RunFacts, node: NodeFacts, set: JsonObject): JsonObject {
  const { mode, size } = args;
  const { n, ok } = written(node);
  const items = getOwn(args, "items");
  const first = Array.isArray(items) && typeof items[0] === "number" ? { first: items[0] + 1 } : {};
  const twice = typeof size === "number" ? size * 2 : null;
  const wanted = { n, ok, list: [1, mode ?? null], twice, text: `mode ${jsonToText(mode)}` };
  return Object.hasOwn(set, "first") ? { ...wanted, ...first } : wanted;
}

function setByNode({ args: { q } }: RunFacts): JsonObject {
  return { n: q ?? null, m: jsonToText(q).length + 1 };
}

/** The fixed fields of a step that sets. */
function written({ plan }: NodeFacts): { readonly n: Json; readonly ok: Json } {
  const values = plan.body.kind === "step" ? plan.body.with : {};
  const literal = (name: string): Json => {
    const value = getOwn(values, name);
    return value?.kind === "literal" ? value.value : null;
  };
  return { n: literal("n"), ok: literal("ok") };
}

/** A run that completes has the outputs its document names, and no other run has any. */
export function outputsAreGiven(): Checker {
  return {
    id: "outputs",
    beforeEvent({ facts, event }: Seen): void {
      const { outputs } = facts.workflow.plan;
      const fail = (message: string) => new Violation("outputs", facts.runId, message);
      if (event.type === "run.failed" && event.payload.errorCode === "outputs_error") {
        if (outputs?.fields.some(({ name }) => name === "lost" || name === "n") !== true)
          throw fail("fails although its outputs can be found");
        return;
      }
      if (event.type !== "run.completed") return;
      const given = event.payload.outputs ?? null;
      if ((given === null) !== (outputs === null))
        throw fail("completes with outputs it does not name, or without them");
      if (given === null || outputs === null || facts.workflow.isBlock) return;
      const { mode, size } = facts.args;
      const wanted: JsonObject = { size: typeof size === "number" ? size + 1 : null, text: `mode ${jsonToText(mode)}` };
      if (!isDeepStrictEqual({ size: given["size"], text: given["text"] }, wanted))
        throw fail(`gives ${JSON.stringify(given)}`);
      if (outputs.fields.some(({ name }) => name === "lost")) throw fail("completes without an output it names");
      const source = outputs.fields.find(({ name }) => name === "n");
      if (source !== undefined && !isDeepStrictEqual(given["n"], numberOf(facts, source.value)))
        throw fail("gives another number than its step");
    },
  };
}

function numberOf({ nodes }: RunFacts, value: unknown): Json {
  const id = /\$\{(\w+)\.n\}/u.exec(JSON.stringify(value))?.[1] ?? "";
  const node = nodes.get(id);
  return node?.status === "completed" ? (getOwn(node.outputs ?? {}, "n") ?? null) : null;
}

/** A step that ends the run does so at once, as it says. */
export function endsAsTheStepSays(): Checker {
  const due = new Map<string, string>();
  return {
    id: "end",
    afterEvent({ facts, node, event }: Seen): void {
      if (event.type === "run.ending") due.delete(facts.runId);
      if (
        node === undefined ||
        node.plan.work === null ||
        ("carried" in event.payload && event.payload.carried === true)
      )
        return;
      const { work } = node.plan;
      if (work.kind === "cancel" && event.type === "node.completed") due.set(facts.runId, work.as);
      if (work.kind === "fail" && event.type === "node.failed" && event.payload.errorCode === work.code)
        due.set(facts.runId, "failed");
    },
    beforeEvent({ facts, event }: Seen): void {
      const as = due.get(facts.runId);
      if (as === undefined || (event.type === "run.ending" && event.payload.as === as)) return;
      throw new Violation("end", facts.runId, `${event.type} follows a step that ends the run as ${as}`);
    },
  };
}
