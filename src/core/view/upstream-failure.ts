import type { NodeStatus } from "../event/index.ts";

/** A node that counts as failed and did nothing: one before it had failed. The cause is another node's failure. */
export function isUpstreamFailure(node: { readonly status: NodeStatus; readonly errorCode: string | null }): boolean {
  return node.status === "failed" && node.errorCode === "upstream_failure";
}
