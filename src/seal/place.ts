/** Names of the places a text is sealed for. A sealed text can be opened only for the same place. */

/** The place of the secrets of an entry; the name of each secret follows it. */
export function secretPlace(orgId: string, kind: string, id: string): string {
  return `${orgId}/${kind}/${id}`;
}

/** The place of the token that is sent to a gateway with dispatches. */
export function gatewayPlace(orgId: string, gatewayId: string): string {
  return `${orgId}/gateway/${gatewayId}/dispatch`;
}

/** The place of the secret shared with the senders of a workflow's hook. */
export function hookPlace(orgId: string, workflow: string): string {
  return `${orgId}/hook/${workflow}`;
}
