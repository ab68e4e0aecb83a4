import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";

const VARIABLE = "SLUICE_CONSOLE_CONNECT";
/** No pattern of hosts: a policy would take it for one. */
const PLAIN = /^https?:\/\/[a-z0-9.:[\]-]+$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Origins that pages of the console may call: a page that can call them can send them anything it shows. */
export function readConsoleConnect({ env }: Pick<Io, "env">): readonly string[] {
  const written = (env[VARIABLE] ?? "").split(",").flatMap((one) => (one.trim() === "" ? [] : [one.trim()]));
  return [...new Set(written.map(originOf))];
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  // The origin alone counts; a path would look as if it limited what may be called.
  if (url === null || !isSafe || !PLAIN.test(url.origin) || (text !== url.origin && text !== `${url.origin}/`)) {
    throw new Refusal(
      `${VARIABLE} must be origins such as https://api.example.com, with commas between (http only here)`,
    );
  }
  return url.origin;
}
