/** A workflow that may start by itself, as launch gates see it. */
export const ACTIVE_WORKFLOW = {
  status: "active",
  posture: "bounded_autonomous",
  hasApprovedLaunch: false,
  depth: 0,
  gateway: null,
} as const;
