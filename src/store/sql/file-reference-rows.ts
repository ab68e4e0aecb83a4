import { compareCodeUnits } from "../../core/base/index.ts";
import type { Sql } from "../sql.ts";
import type { RunCommit } from "../store.ts";
import { bigint, Columns, type RecordOf, text } from "./columns.ts";

const REFERENCE = new Columns({ orgId: text, sha256: text, runId: text, name: text, mime: text, size: bigint });

/** Inserts references. Only existing content can be referred to. */
const INSERT = {
  name: "insert file references",
  text: `insert into file_references (${REFERENCE.list()})
    select ${REFERENCE.list("i")} from ${REFERENCE.unnest()}
    where exists (select from files f where f.org_id = i.org_id and f.sha256 = i.sha256)
    order by i.org_id, i.sha256, i.run_id, i.name on conflict do nothing`,
};

export async function writeFileReferences(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const rows = new Map<string, RecordOf<typeof REFERENCE.fields>>();
  for (const { runId, orgId, files } of written) {
    for (const { name, mime, size, sha256 } of files) {
      rows.set(JSON.stringify([orgId, sha256, runId, name]), { orgId, sha256, runId, name, mime, size });
    }
  }
  if (rows.size === 0) return;
  const sorted = [...rows].sort(([left], [right]) => compareCodeUnits(left, right)).map(([, row]) => row);
  await sql.query(INSERT, REFERENCE.batch(sorted));
}
