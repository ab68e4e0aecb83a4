const ORGANISATION = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

/** Whether a text can be the id of an organisation. */
export function isOrganisationName(text: string): boolean {
  return ORGANISATION.test(text);
}
