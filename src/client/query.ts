export type Query = Readonly<Record<string, string | number | undefined>>;

/** One part of a path or a query, as an address takes it. */
export function encode(part: string): string {
  return encodeURIComponent(part);
}

/** What was given of a query, with its question mark. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encode(name)}=${encode(String(value))}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
