/** Paths of the console that messages and ticket pages lead to. */
export function approvalUrl(approvalId: string): string {
  return `/approvals?id=${encodeURIComponent(approvalId)}`;
}

export function runUrl(runId: string): string {
  return `/runs/${encodeURIComponent(runId)}`;
}
