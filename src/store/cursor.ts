import { BadCursor } from "./store-error.ts";

/** Where a list went on: the last row's instant and id. Opaque to clients. */
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
  // A cursor comes back from clients: whatever it holds must be fit for a query.
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

/** One page of rows of which one more than asked was fetched, to know whether any follow. */
export function listed<T>(
  rows: readonly T[],
  limit: number,
  position: (row: T) => Position,
): { readonly data: readonly T[]; readonly nextCursor: string | null } {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null };
}
