const NAME = "sluice-live ";

/** The name of the script that holds the connection of an organisation; each has one of its own. */
export function liveName(organisation: string): string {
  return NAME + organisation;
}

export function organisationOf(scriptName: string): string {
  return scriptName.slice(NAME.length);
}
