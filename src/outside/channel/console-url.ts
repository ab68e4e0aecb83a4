/** Paths of console pages that messages and ticket pages link to. */
export function approvalUrl({ orgId, id }: { readonly orgId: string; readonly id: string }): string {
  return `/o/${encodeURIComponent(orgId)}/approvals?id=${encodeURIComponent(id)}`;
}

export function runUrl(orgId: string, runId: string): string {
  return `/o/${encodeURIComponent(orgId)}/runs/${encodeURIComponent(runId)}`;
}
