import type { SealedText, SecretStore } from "../secret-store.ts";
import type { Sql, SqlScalar, Statement } from "../sql.ts";
import { sqlAudit } from "./sql-audit.ts";

export function sqlSecrets(sql: Sql): SecretStore {
  return {
    secretUses: async (orgId) => {
      const rows = await sql.query<{ name: string; used_at: number }>(USES, [orgId]);
      return new Map(rows.map(({ name, used_at: usedAt }) => [name, usedAt]));
    },
    recordSecretUses: (orgId, names, at, audit) =>
      sql.transaction(async (within) => {
        // Sorted, so that two writers never deadlock.
        if (names.length > 0) await within.query(RECORD, [orgId, [...new Set(names)].sort(), at]);
        await sqlAudit(within).appendAudit(orgId, audit);
      }),
    replaceSealed: (change) =>
      sql.transaction(async (within) => {
        for (const place of PLACES) await replaceAt(within, place, change);
      }),
  };
}

const USES = { name: "secret uses", text: "select name, used_at from secret_uses where org_id = $1" };
const RECORD = {
  name: "record secret uses",
  text: `insert into secret_uses (org_id, name, used_at) select $1, unnest($2::text[]), $3
    on conflict (org_id, name) do update set used_at = excluded.used_at where secret_uses.used_at < excluded.used_at`,
};

/** A column of sealed texts: statements to read and lock all of them, and to replace one by its keys. */
interface SealedColumn {
  readonly keys: readonly string[];
  readonly read: Statement;
  readonly write: Statement;
  readonly ownerOf: (keys: readonly string[]) => SealedText["owner"];
}

const PLACES: readonly SealedColumn[] = [
  sealedColumn("entry_secrets", "value", ["org_id", "kind", "id", "name"], ([, kind = "", id = "", name = ""]) => ({
    of: "entry",
    kind,
    id,
    name,
  })),
  sealedColumn("gateway_links", "dispatch_token", ["org_id", "gateway_id"], ([, id = ""]) => ({ of: "gateway", id })),
  ...["secret", "previous_secret"].map((column) =>
    sealedColumn("workflow_hooks", column, ["org_id", "workflow"], ([, workflow = ""]) => ({ of: "hook", workflow })),
  ),
];

function sealedColumn(
  table: string,
  column: string,
  keys: readonly string[],
  ownerOf: SealedColumn["ownerOf"],
): SealedColumn {
  const order = keys.join(", ");
  const where = keys.map((key, index) => `${key} = $${index + 2}`).join(" and ");
  return {
    keys,
    ownerOf,
    read: {
      name: "",
      text: `select ${order}, ${column} as text from ${table} where ${column} is not null order by ${order} for update`,
    },
    write: { name: "", text: `update ${table} set ${column} = $1 where ${where}` },
  };
}

async function replaceAt(sql: Sql, { keys, read, write, ownerOf }: SealedColumn, change: Change): Promise<void> {
  for (const row of await sql.query<Readonly<Record<string, SqlScalar>>>(read)) {
    const values = keys.map((key) => String(row[key]));
    const [orgId = ""] = values;
    const fresh = change({ orgId, owner: ownerOf(values), text: String(row["text"]) });
    if (fresh !== null) await sql.query(write, [fresh, ...values]);
  }
}

type Change = Parameters<SecretStore["replaceSealed"]>[0];
