import { ATTEMPT_FILE_ROUTES } from "./attempt-file-routes.ts";
import { BRIDGE_ROUTES } from "./bridge-routes.ts";
import { FORM_ROUTES } from "./form-routes.ts";
import { HOOK_ROUTES } from "./hook-routes.ts";
import { OPEN_ROUTES, type OpenRoute } from "./open-routes.ts";
import { SLACK_ROUTES } from "./slack-routes.ts";
import { TICKET_ROUTES } from "./ticket-routes.ts";

/** All routes without a key: open ones, and those whose callers are identified by a signature or a ticket. */
export const UNKEYED_ROUTES: readonly OpenRoute[] = [
  ...OPEN_ROUTES,
  ...BRIDGE_ROUTES,
  ...ATTEMPT_FILE_ROUTES,
  ...HOOK_ROUTES,
  ...FORM_ROUTES,
  ...TICKET_ROUTES,
  ...SLACK_ROUTES,
];
