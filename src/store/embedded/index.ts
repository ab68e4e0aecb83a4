export { openEmbedded } from "./embedded-sql.ts";
export { DirectoryInUse, lockDirectory } from "./directory-lock.ts";
