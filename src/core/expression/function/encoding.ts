import { utf8Bytes } from "../../base/index.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function encodeBase64(text: string): string {
  const bytes = utf8Bytes(text);
  let encoded = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let digit = 0; digit < 4; digit += 1) {
      const isFilled = at + digit <= bytes.length;
      encoded += isFilled ? DIGITS.charAt((bits >> (18 - digit * 6)) & 63) : "=";
    }
  }
  return encoded;
}

const LONE_SURROGATES = /\p{Surrogate}/gu;

export function encodeUrl(text: string): string {
  return encodeURIComponent(text.replace(LONE_SURROGATES, "\ufffd"));
}
