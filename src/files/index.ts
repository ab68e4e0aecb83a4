export { findRunFile, runFiles } from "./attempt-files.ts";
export { FileRefusal } from "./file-refusal.ts";
export { Files } from "./files.ts";
export { createFolderObjects } from "./folder-objects.ts";
export { makeFolder, syncFolder } from "./folder-sync.ts";
export { createMemoryObjects, type ObjectStore } from "./object-store.ts";
export { createS3Objects, type S3Options } from "./s3-objects.ts";
