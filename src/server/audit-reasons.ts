import type { AuditRecord } from "../core/audit/index.ts";
import type { Store } from "../store/index.ts";

/** Adds the texts people wrote to the records; the audit chain does not contain them. */
export async function auditReasons(
  store: Pick<Store, "auditTexts">,
  orgId: string,
  records: readonly AuditRecord[],
): Promise<(record: AuditRecord) => AuditRecord & { readonly reason?: string }> {
  const texts = await store.auditTexts(
    orgId,
    records.map(({ seq }) => seq),
  );
  return (record) => {
    const reason = texts.get(record.seq);
    return reason === undefined ? record : { ...record, reason };
  };
}
