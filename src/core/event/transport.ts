/**
 * What a stream says of itself: frames without an id that are in no log.
 * `auth.expired`: the caller's key or token has ended; the stream ends with it, and coming back needs another.
 */
export const AUTH_EXPIRED = "auth.expired";
