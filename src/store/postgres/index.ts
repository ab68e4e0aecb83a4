export { openPostgres } from "./postgres-sql.ts";
