/** Files: their stored metadata, and how they are uploaded. */
import { z } from "zod";
import { type Answered, type Asked, count, moment } from "./field.ts";
import { pageQuery } from "./page.ts";

/** The reference to a file in args and outputs. */
export const fileSchema = z.object({
  name: z.string(),
  mime: z.string(),
  size: count.describe("Size in bytes"),
  sha256: z.string().describe("SHA-256 of the content, hexadecimal"),
});
export type FileReference = Answered<typeof fileSchema>;

export const storedFileSchema = fileSchema.extend({ createdAt: moment });
export type StoredFile = Answered<typeof storedFileSchema>;

/** The server checks the contents of name, type and size, each with its own error code. */
export const uploadBody = z.strictObject({
  name: z.string(),
  mime: z.string().default("application/octet-stream"),
  size: count,
  sha256: z
    .string()
    .optional()
    .describe("Expected SHA-256 of the content. An upload that was interrupted is continued by this hash"),
});
export type UploadRequest = Asked<typeof uploadBody>;

export const uploadSchema = z.object({
  id: z
    .string()
    .nullable()
    .describe("Id of the upload; null when the content is already stored and nothing has to be sent"),
  partSize: count.describe("Size in bytes of every part except the last"),
  partCount: count,
  received: z.array(count).describe("Numbers of the parts that have arrived, from 1"),
  expiresAt: moment.nullable(),
  file: fileSchema.nullable().describe("The stored file; null until the upload is complete"),
});
export type Upload = Answered<typeof uploadSchema>;

export const partSchema = z.object({ part: count, size: count, sha256: z.string() });
export type Part = Answered<typeof partSchema>;

export const fileQuery = z.object({
  name: z.string().describe("Name of the file"),
});
export const downloadQuery = z.object({
  name: z
    .string()
    .optional()
    .describe("File name for the download. Default: the name of the first upload of this content"),
  mime: z
    .string()
    .optional()
    .describe("Media type of the answer. Default: the media type of the first upload of this content"),
});
export const filesQuery = pageQuery;
