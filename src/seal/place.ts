/** What a text is sealed for: it opens only there. */

/** Secrets of an entry; each has its own name after it. */
export function secretPlace(orgId: string, kind: string, id: string): string {
  return `${orgId}/${kind}/${id}`;
}

/** The token a gateway is sent with dispatches. */
export function gatewayPlace(orgId: string, gatewayId: string): string {
  return `${orgId}/gateway/${gatewayId}/dispatch`;
}

/** What is shared with the senders of a workflow's hook. */
export function hookPlace(orgId: string, workflow: string): string {
  return `${orgId}/hook/${workflow}`;
}
