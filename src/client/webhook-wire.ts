/** What the API says about messages to and from outside, as types. */
export interface Delivery {
  /** The `webhook-id` it is sent under, however often. */
  readonly id: string;
  readonly type: string;
  /** `failed` will be tried again. */
  readonly state: "pending" | "failed" | "delivered" | "given_up";
  /** Finished tries. */
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly settledAt: string | null;
}

/** Whether signed messages may start runs of a workflow. */
export interface Hook {
  readonly workflow: string;
  readonly set: boolean;
  readonly url: string;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** How long the secret before the present one is good, too. */
  readonly previousUntil: string | null;
}

/** With its secret when the server made it: it is shown only then. */
export interface SavedHook extends Hook {
  readonly secret?: string;
}
