import type { RunEvent } from "../../../src/core/event/index.ts";
import { namesOf } from "../world/people.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

interface Asked {
  readonly quorum: number;
  readonly approvers: readonly string[];
  hop: number;
  /** People who approve the present subject. */
  yes: Set<string>;
}

type Answering = Extract<RunEvent, { readonly type: "approval.answered" | "approval.revised" | "approval.resolved" }>;

/** The chain answers under this name when no person has. */
const CHAIN = "sluice";
const YES: ReadonlySet<string> = new Set(["approve", "retry"]);

/**
 * Nothing is approved with fewer different people than its author wants, nor by a person who was not asked; and what is
 * asked is what the author wrote.
 */
export function peopleDecide(): Checker {
  const open = new Map<string, Asked>();
  return {
    id: "people",
    beforeEvent({ facts, node, event }: Seen): void {
      const fail = (message: string) => new Violation("people", facts.runId, message);
      if (event.type === "approval.requested") {
        const { approvalId, quorum = 1, approvers, hop, source } = event.payload;
        const rule = source === "gate" ? (node?.owner ?? node)?.plan.approval : null;
        const names = approvers.map(({ who }) => who);
        if (rule !== null && rule !== undefined) {
          const isSame = rule.quorum === quorum && rule.approvers.map(({ who }) => who).join() === names.join();
          if (!isSame) throw fail(`${approvalId} asks others than its author`);
        }
        open.set(approvalId, { quorum, approvers: names, hop, yes: new Set() });
      }
      if (event.type === "approval.escalated") asked(open, event.payload.approvalId).hop = event.payload.hop;
      if (!isAnswering(event) || event.payload.by === undefined || event.payload.by === CHAIN) return;
      const trouble = judge(asked(open, event.payload.approvalId), event);
      if (trouble !== null) throw fail(`${event.payload.approvalId} ${trouble}`);
    },
  };
}

function isAnswering(event: RunEvent): event is Answering {
  const { type } = event;
  return type === "approval.answered" || type === "approval.revised" || type === "approval.resolved";
}

function asked(open: ReadonlyMap<string, Asked>, approvalId: string): Asked {
  const found = open.get(approvalId);
  if (found === undefined) throw new Error(`${approvalId} was never asked for`);
  return found;
}

function judge(approval: Asked, event: Answering): string | null {
  const { by = "", decision } = event.payload;
  const reached = approval.approvers.slice(0, approval.hop + 1);
  if (reached.length > 0 && !namesOf(by).some((name) => reached.includes(name)))
    return `is answered by ${by}, who is not asked`;
  if (decision === undefined || !YES.has(decision)) return null;
  if (event.type === "approval.revised") approval.yes = new Set([by]);
  else if (approval.yes.has(by)) return `counts ${by} twice`;
  approval.yes.add(by);
  const isDone = event.type === "approval.resolved";
  if (isDone !== approval.yes.size >= approval.quorum) {
    return `is ${isDone ? "closed" : "open"} with ${approval.yes.size} of ${approval.quorum} people`;
  }
  return null;
}

/** What is sent, and what a gate returns, is what the last person to approve has approved. */
export function changesAreSent(): Checker {
  const approved = new Map<string, unknown>();
  return {
    id: "changes",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const place = `${facts.runId}/${node.id}/${facts.epoch}`;
      if (event.type === "approval.resolved" && event.payload.status === "approved") {
        const { modifications, form } = event.payload;
        const inputs = modifications?.["inputs"] as { readonly n?: unknown } | undefined;
        if (inputs?.n !== undefined) approved.set(place, inputs.n);
        if (form !== undefined) approved.set(`${place} form`, form["v"]);
      }
      if (event.type !== "node.completed" || node.plan.kind !== "gate" || event.payload.carried === true) return;
      const entered = approved.get(`${place} form`);
      const { v, approved: isApproved } = event.payload.outputs;
      if (isApproved === true && entered !== undefined && v !== entered) {
        throw new Violation(
          "changes",
          facts.runId,
          `${node.id} returns ${JSON.stringify(v)}, and ${JSON.stringify(entered)} was entered`,
        );
      }
    },
    sent(facts, { nodeId, request }): void {
      const changed = approved.get(`${facts.runId}/${nodeId}/${facts.epoch}`);
      if (changed === undefined || request.inputs["n"] === changed) return;
      throw new Violation("changes", facts.runId, `${nodeId} is sent other inputs than were approved`);
    },
  };
}
