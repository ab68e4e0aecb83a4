import { getOwn } from "../base/index.ts";
import { closeApproval } from "./approvals.ts";
import type { ResolveInput } from "./input.ts";
import { findNode, planNodeOf } from "./move.ts";
import { queueAgain, refuseEnded } from "./on-approval.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { NodeState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

/** Refuses an agent named by a person when the team bans a tool the node needs. The node keeps waiting, and its log contains the reason. */
function refuseBanned(turn: Turn, node: NodeState, assignTo: string): Refusal | undefined {
  const { duty } = planNodeOf(turn.state, node);
  if (duty === null) return undefined;
  const { byAgent, others } = duty.toolBans;
  const tools = getOwn(byAgent, assignTo) ?? others;
  if (tools.length === 0) return undefined;
  const errors = tools.map((tool) => ({
    field: "tool",
    reason: `the team ${duty.team} does not let ${assignTo} use the tool ${tool}, which ${node.id} needs`,
  }));
  emit(turn, "contract.violated", { ...about(node), phase: "instructions", errors });
  return refuse("contract_violated", errors.map(({ reason }) => reason).join("; "));
}

/** Unblocks a node that waits for values or for an agent. */
export function onResolve(turn: Turn, input: ResolveInput): Refusal | undefined {
  const node = findNode(turn.state, input.nodeId);
  if (node === undefined) return refuse("unknown_node", `${input.nodeId} is not a node of this run`);
  const approvalId = node.now.status === "blocked" ? node.now.approvalId : null;
  const approval = approvalId === null ? undefined : turn.state.approvals.get(approvalId);
  if (approval === undefined || approval.source !== "block" || approval.status !== "pending") {
    return refuse("not_blocked", `${input.nodeId} does not wait for values or an assignment`);
  }
  const ended = refuseEnded(turn);
  if (ended !== undefined) return ended;
  const { values, assignTo, by } = input;
  const given = { ...(values === undefined ? {} : { values }), ...(assignTo === undefined ? {} : { assignTo }) };
  if (Object.keys(given).length === 0) return refuse("nothing_given", "give values or assignTo");
  const banned = assignTo === undefined ? undefined : refuseBanned(turn, node, assignTo);
  if (banned !== undefined) return banned;
  closeApproval(turn, approval, { status: "approved", by, modifications: given });
  queueAgain(turn, node);
  return undefined;
}
