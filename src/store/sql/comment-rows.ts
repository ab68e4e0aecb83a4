import { bigint, Columns, optional, text } from "./columns.ts";

/** Comments that people wrote on an approval. */
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
