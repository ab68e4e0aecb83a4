export type TokenRefusalCode =
  | "token_invalid"
  | "token_expired"
  | "token_not_yet_valid"
  | "organisation_missing"
  | "issuer_unreachable";

/** The reason why a token is refused. The message never contains any part of the token. */
export interface TokenRefusal {
  readonly code: TokenRefusalCode;
  readonly message: string;
  /** Subject of the token; null until its signature is verified. */
  readonly subject: string | null;
}
