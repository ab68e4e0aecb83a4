/** Files: their stored metadata, and how they are uploaded. */
import { z } from "zod";
import { type Answered, type Asked, count, moment } from "./field.ts";
import { pageQuery } from "./page.ts";

/** The reference to a file in args and outputs. */
export const fileSchema = z.object({
  name: z.string(),
  mime: z.string(),
  size: count.describe("Bytes"),
  sha256: z.string().describe("Of the content, in hexadecimal"),
});
export type FileReference = Answered<typeof fileSchema>;

export const storedFileSchema = fileSchema.extend({ createdAt: moment });
export type StoredFile = Answered<typeof storedFileSchema>;

/** The server checks the contents of name, type and size, each with its own error code. */
export const uploadBody = z.strictObject({
  name: z.string(),
  mime: z.string().default("application/octet-stream"),
  size: count,
  sha256: z.string().optional().describe("What the content must hash to; an upload that was begun continues by it"),
});
export type UploadRequest = Asked<typeof uploadBody>;

export const uploadSchema = z.object({
  id: z.string().nullable().describe("Null: the content is there already, and nothing has to be sent"),
  partSize: count.describe("Bytes of every part but the last"),
  partCount: count,
  received: z.array(count).describe("Numbers of the parts that are there, from 1"),
  expiresAt: moment.nullable(),
  file: fileSchema.nullable().describe("The file, once the upload is complete"),
});
export type Upload = Answered<typeof uploadSchema>;

export const partSchema = z.object({ part: count, size: count, sha256: z.string() });
export type Part = Answered<typeof partSchema>;

export const fileQuery = z.object({
  name: z.string().describe("The name of the file"),
});
export const downloadQuery = z.object({
  name: z.string().optional().describe("The name to save it under; default: the first it was sent with"),
  mime: z.string().optional().describe("The media type it is answered with; default: the first it was sent with"),
});
export const filesQuery = pageQuery;
