import { z } from "zod";
import type { Outcome } from "../core/base/index.ts";

const name = z.string().min(1).max(64);
const tool = z.string().min(1).max(200).nullable();

/** A registered secret that the configuration of an adapter names, and the tool that uses it. Null when the adapter itself uses it. */
export const secretReferenceSchema = z.object({ name, tool });
export type SecretReference = Readonly<z.infer<typeof secretReferenceSchema>>;

/** A secret as it is sent with one dispatch: its value, or the reason why it has none. */
export const handedSecretSchema = z.union([
  z.object({ name, tool, value: z.string().max(16_384) }),
  z.object({ name, tool, code: z.string().max(100), message: z.string().max(2_000) }),
]);
export type HandedSecret = Readonly<z.infer<typeof handedSecretSchema>>;

/** Finds a secret of the dispatch. Undefined when no secret of this name came with it. */
export type FindSecret = (
  name: string,
  tool: string | null,
) => Outcome<string, { readonly code: string; readonly message: string }> | undefined;
