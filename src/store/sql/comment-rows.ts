import { bigint, Columns, optional, text } from "./columns.ts";

/** What people wrote below an approval. */
export const COMMENT = new Columns({
  orgId: text,
  approvalId: text,
  at: bigint,
  id: text,
  by: text,
  byId: optional(text),
  personId: optional(text),
  text,
});
