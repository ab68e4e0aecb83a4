export type TokenRefusalCode =
  | "token_invalid"
  | "token_expired"
  | "token_not_yet_valid"
  | "organisation_missing"
  | "issuer_unreachable";

/** Why a token is refused. The message never repeats anything of the token. */
export interface TokenRefusal {
  readonly code: TokenRefusalCode;
  readonly message: string;
  /** Whose token it is; null as long as no signature says so. */
  readonly subject: string | null;
}
