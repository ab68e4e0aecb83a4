import type { HttpBindings } from "@hono/node-server";

/** Returns the address of a request, with the address it was forwarded for, if any. For display only, since it is not verified. */
export function senderOf(request: Request, bindings: Partial<HttpBindings> | undefined): string {
  const address = bindings?.incoming?.socket.remoteAddress ?? "";
  const forwarded = request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
  return forwarded === "" ? address : `${forwarded} through ${address}`;
}
