import type { HttpBindings } from "@hono/node-server";

/** Whom a request comes from, and for whom that one says it forwards; only for people to read. */
export function senderOf(request: Request, bindings: Partial<HttpBindings> | undefined): string {
  const address = bindings?.incoming?.socket.remoteAddress ?? "";
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return forwarded === "" ? address : `${forwarded} through ${address}`;
}
