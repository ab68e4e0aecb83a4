import { type Checker, type Seen, Violation } from "./checker.ts";

/** A step with a human gate runs only after a person approved in this epoch; a step that is only a gate never runs. */
export function gatesHold(): Checker {
  const approved = new Set<string>();
  return {
    id: "gate",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      if (
        event.type === "approval.resolved" &&
        event.payload.source === "gate" &&
        event.payload.status === "approved"
      ) {
        approved.add(`${facts.runId}/${node.id}/${facts.epoch}`);
      }
      if (event.type !== "node.started" && event.type !== "node.expanded") return;
      const gated = node.owner ?? node;
      const fail = (message: string) => new Violation("gate", facts.runId, `${node.id} ${message}`);
      if (gated.plan.kind === "gate") throw fail("is only a gate and is dispatched");
      if (gated.plan.approval === null || approved.has(`${facts.runId}/${gated.id}/${facts.epoch}`)) return;
      throw fail("starts although it was not approved");
    },
  };
}
