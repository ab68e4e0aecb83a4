export { openEmbedded } from "./embedded-sql.ts";
export { packSeed } from "./seed.ts";
export { DirectoryInUse, lockDirectory } from "./directory-lock.ts";
