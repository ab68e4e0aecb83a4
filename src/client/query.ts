export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** One part of a path or a query, as an address takes it. */
export function encode(part: string): string {
  return encodeURIComponent(part);
}

/** What was given of a query, with its question mark. */
export function queryText(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => `${encode(name)}=${encode(String(one))}`),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
