/** Paths of the console that messages and ticket pages lead to. */
export function approvalUrl({ orgId, id }: { readonly orgId: string; readonly id: string }): string {
  return `/o/${encodeURIComponent(orgId)}/approvals?id=${encodeURIComponent(id)}`;
}

export function runUrl(orgId: string, runId: string): string {
  return `/o/${encodeURIComponent(orgId)}/runs/${encodeURIComponent(runId)}`;
}
