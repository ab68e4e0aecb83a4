import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { sourceFile } from "../law/source.ts";

const STORE = fileURLToPath(new URL("../../src/store/", import.meta.url));

/**
 * What not every Postgres from 14 to 18 and YugabyteDB has, and why. An older Postgres does not know what is newer;
 * a distributed one has no places of rows on a disk, no locks of whole tables and no notifications.
 */
const OUTSIDE: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/\b(?:ctid|xmin|xmax|cmin|cmax|tableoid)\b/i, "a system column: name rows by their key"],
  [/\b(?:un)?listen\s+\w|\bnotify\s+\w|\bpg_notify\b/i, "notifications: poll"],
  [/\bpg_(?:try_)?advisory_/i, "advisory locks: insert a row that others wait for"],
  [/\block\s+table\b/i, "table locks: lock rows"],
  [/\binherits\s*\(/i, "inheritance: use partitions"],
  [/\bexclude\s+using\b/i, "exclusion constraints: use a unique key"],
  [/\bdeferrable\b/i, "deferrable constraints"],
  [/\busing\s+(?:gist|spgist|brin)\b/i, "an index that is no B-tree, hash or GIN"],
  [/\bcreate\s+extension\b/i, "extensions"],
  [/\b(?:unlogged|tablespace|tablesample)\b/i, "where and how a table lies on a disk"],
  [/\bset\s+session\s+characteristics\b|\bprepare\s+transaction\b/i, "two-phase commit and session defaults"],
  [/\bmerge\s+into\b/i, "since 15: use insert … on conflict"],
  [/\bnulls\s+not\s+distinct\b/i, "since 15"],
  [/\bregexp_(?:like|count|instr|substr)\s*\(/i, "since 15"],
  [/\b(?:any_value|date_add|date_subtract|array_shuffle|array_sample)\s*\(|\bis\s+json\b/i, "since 16"],
  [/\bjson_(?:table|exists|value|query|scalar|serialize|array|object)\s*\(/i, "since 16 or 17: use jsonb functions"],
  [/\b(?:uuidv4|uuidv7|array_sort|array_reverse|casefold|crc32)\s*\(|\breturning\s+(?:old|new)\b/i, "since 17 or 18"],
];

/** A text of the source that breaks a rule and may, with its reason. */
const EXCEPTIONS: readonly string[] = [];

test("the store speaks the SQL that Postgres 14 to 18 and YugabyteDB share", () => {
  const found = readdirSync(STORE, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) => textsOf(path).flatMap((text) => breaches(path, text)));
  expect(found).toEqual(EXCEPTIONS);
});

test.each([
  "delete from t where ctid = any($1)",
  "select pg_advisory_xact_lock(1)",
  "listen changes",
  "select pg_notify('a', 'b')",
  "lock table runs",
  "create index i on t using gist (a)",
  "merge into t using s on true when matched then do nothing",
  "insert into t values (1) returning new.a",
  "select json_value(a, '$.b') from t",
])("%s is found", (text) => {
  expect(breaches("a.ts", text)).toHaveLength(1);
});

function breaches(path: string, text: string): readonly string[] {
  return OUTSIDE.flatMap(([pattern, reason]) => {
    const word = pattern.exec(text)?.[0];
    return word === undefined ? [] : [`${path}: ${word} (${reason})`];
  });
}

/** Every text in a file, found where comments and the insides of texts are blank. */
function textsOf(path: string): readonly string[] {
  const { text, code } = sourceFile(path, readFileSync(`${STORE}${path}`, "utf8"));
  return [...code.matchAll(/(["'`])[^]*?\1/g)].map(({ 0: { length }, index }) => text.slice(index, index + length));
}
