/**
 * Frames about the stream itself. They have no id and are in no log.
 * `auth.expired`: the caller's key or token has expired. The stream ends, and a new connection needs another credential.
 */
export const AUTH_EXPIRED = "auth.expired";
