/** The requested bytes of a content. */
export type ByteRange =
  | { readonly kind: "all" }
  | { readonly kind: "part"; readonly from: number; readonly to: number }
  | { readonly kind: "none" };

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * Reads a Range header (RFC 9110) for content of this size. A single range is answered. Several ranges, or an invalid
 * header, return the whole content, as the standard allows.
 */
export function readRange(header: string | null, size: number): ByteRange {
  const [, first = "", last = ""] = RANGE.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return { kind: "all" };
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? { kind: "none" } : { kind: "part", from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === "" ? size - 1 : Number(last);
  if (last !== "" && to < from) return { kind: "all" };
  return from >= size ? { kind: "none" } : { kind: "part", from, to: Math.min(to, size - 1) };
}
