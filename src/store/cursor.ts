import { BadCursor } from "./store-error.ts";

/** Position in a list after which the next page begins: instant and id of the last row. Opaque to clients. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

export function encodeCursor(position: Position): string {
  return Buffer.from(JSON.stringify([position.at, position.id])).toString("base64url");
}

export function decodeCursor(cursor: string | null): Position | null {
  if (cursor === null) return null;
  const [at, id, ...rest] = parts(cursor);
  // A cursor comes from a client: check that its content can be used in a query.
  const isSound = Number.isSafeInteger(at) && typeof id === "string" && !id.includes("\0") && rest.length === 0;
  if (typeof at !== "number" || typeof id !== "string" || !isSound) throw new BadCursor();
  return { at, id };
}

function parts(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Builds one page. The query fetched one row more than requested, to find out whether more follow. */
export function listed<T>(
  rows: readonly T[],
  limit: number,
  position: (row: T) => Position,
): { readonly data: readonly T[]; readonly nextCursor: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null };
}
