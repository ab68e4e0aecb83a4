export { openPostgres, type PostgresOptions } from "./postgres-sql.ts";
