import { compareCodeUnits } from "../../base/index.ts";

const ZERO = 48;
const NINE = 57;

/** Compares with numbers in numeric order: `n2` before `n10`. Consecutive digits form one number; other characters compare by code unit. */
export function compareNatural(left: string, right: string): number {
  const most = Math.min(left.length, right.length);
  for (let at = 0; at < most; at += 1) {
    const one = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (isDigit(one) && isDigit(other)) return compareFrom(left, right, at);
    if (one !== other) return one - other;
  }
  return left.length - right.length;
}

/** Compares number by number from a position where both have a digit and before which both are equal. */
function compareFrom(left: string, right: string, from: number): number {
  const [one, other] = [endOfNumber(left, from), endOfNumber(right, from)];
  const [a, b] = [significant(left.slice(from, one)), significant(right.slice(from, other))];
  if (a.length !== b.length) return a.length - b.length;
  if (a !== b) return compareCodeUnits(a, b);
  // The numbers are equal: the rest decides and, when that is equal too, the spelling.
  return compareNatural(left.slice(one), right.slice(other)) || compareCodeUnits(left, right);
}

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function significant(digits: string): string {
  let first = 0;
  while (first < digits.length - 1 && digits.charCodeAt(first) === ZERO) first += 1;
  return digits.slice(first);
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
