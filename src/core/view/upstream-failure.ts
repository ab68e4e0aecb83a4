import type { NodeStatus } from "../event/index.ts";

/** Returns whether a node counts as failed without having run, because a node before it had failed. */
export function isUpstreamFailure(node: { readonly status: NodeStatus; readonly errorCode: string | null }): boolean {
  return node.status === "failed" && node.errorCode === "upstream_failure";
}
