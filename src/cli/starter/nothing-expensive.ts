/** Example policy included in every starter. */
export const NOTHING_EXPENSIVE = `kind: Policy
name: nothing-expensive
spec:
  category: guardrail
  condition: node.estimatedUsd > 0.5
  action: block
  reason: A single step here never needs more than half a dollar
`;
