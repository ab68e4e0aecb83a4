/** Shortens an id. Ids begin with the time, so their last characters differ most. */
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 4)}…${id.slice(-8)}`;
}
