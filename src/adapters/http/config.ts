import { z } from "zod";
import { createAllowList } from "../../outbound/index.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

const TIMEOUT_MS_MAX = 24 * 3_600_000;
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const targetSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
      error: "must hold no user name or password; use a header with secret://NAME",
    }),
  /** Method set by the operator. When absent, a node chooses it. */
  method: z.enum(METHODS).optional(),
  /** `secret://NAME` in a value is replaced by a registered secret or by an environment variable of the Bridge. */
  headers: z
    .record(
      z.string().regex(HEADER_NAME, "is no name of a header"),
      z.string().max(8_192).regex(HEADER_VALUE, "holds characters that a header cannot"),
    )
    .optional(),
  timeout_ms: z.number().int().positive().max(TIMEOUT_MS_MAX).optional(),
});
export type Target = z.infer<typeof targetSchema>;

export const configSchema = z.strictObject({
  /** Hosts, `host:port` and address blocks that nodes may call by URL, including private ones. */
  allow: z
    .array(z.string().max(300))
    .max(1_000)
    .superRefine((entries, context) => {
      const list = createAllowList(entries);
      if (!list.ok) context.addIssue({ code: "custom", message: list.failure });
    })
    .optional(),
  targets: z
    .record(z.string().regex(NAME, "must be letters, digits, -, _ and ., a letter first"), targetSchema)
    .optional(),
  /** True when nodes may call every public host by URL, not only those on the allow list. */
  open: z.boolean().optional(),
});
export type HttpConfig = z.infer<typeof configSchema>;
