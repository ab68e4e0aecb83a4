import { Refused } from "./problem.ts";

const FORM_BYTES_MAX = 1_024;

/** Reads the fields of a form sent by a page of this server. */
export async function formOf(request: Request): Promise<URLSearchParams> {
  const [type] = (request.headers.get("content-type") ?? "").split(";");
  if (type?.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    throw new Refused("unsupported_media_type", "Send the form of the page.");
  }
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= FORM_BYTES_MAX)) throw new Refused("body_too_large", "The form is much shorter than that.");
  return new URLSearchParams(await request.text());
}
