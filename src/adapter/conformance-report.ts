/** The check of one promise of the interface: kept, broken, or null with a reason when it could not be tested. */
export interface ConformanceCheck {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
}

export interface ConformanceReport {
  readonly provider: string;
  /** True when no promise is broken. */
  readonly ok: boolean;
  readonly checks: readonly ConformanceCheck[];
}

export type Finding = Omit<ConformanceCheck, "name">;

export function kept(detail: string): Finding {
  return { ok: true, detail };
}

export function broken(detail: string): Finding {
  return { ok: false, detail };
}

export function untested(reason: string): Finding {
  return { ok: null, detail: reason };
}

export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
