export { createApp, type App, type AppOptions } from "./app.ts";
export type { ApiConfig } from "./config.ts";
export { openApiDocument } from "./openapi.ts";
export { PERMISSIONS, permissionsOf, ROLES, type Permission, type Role } from "./permission.ts";
export { ROUTES } from "./route-table.ts";
export { adminKey, isSecret, newSecret } from "./secret.ts";
export { serve, type Served, type ServeOptions } from "./serve.ts";
