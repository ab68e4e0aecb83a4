/** Size of a card, and the gaps between cards. */
export const CARD = { width: 204, height: 54 } as const;
export const GAPS = { nodeGap: 18, layerGap: 64 } as const;
