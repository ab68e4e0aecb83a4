import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

const VARIABLE = "SLUICE_CONSOLE_CONNECT";
/** Excludes wildcards, because a content security policy would interpret them as patterns. */
const PLAIN = /^https?:\/\/[a-z0-9.:[\]-]+$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns the origins that console pages may call. Such an origin can receive everything that a page shows. */
export function readConsoleConnect({ env }: Pick<Io, "env">): readonly string[] {
  const written = (env[VARIABLE] ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
  return [...new Set(written.map(originOf))];
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  // Only the origin is used. A path is refused, because it would seem to limit the allowed calls.
  if (url === null || !isSafe || !PLAIN.test(url.origin) || (text !== url.origin && text !== `${url.origin}/`)) {
    throw new Refusal(
      `${VARIABLE} must be origins such as https://api.example.com, separated by commas (http only for this machine)`,
    );
  }
  return url.origin;
}
