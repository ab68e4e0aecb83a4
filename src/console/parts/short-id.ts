/** Ids begin with the time; their last characters differ most. */
export function shortId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 4)}…${id.slice(-8)}`;
}
