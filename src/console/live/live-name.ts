const NAME = "sluice-live ";

/** Returns the name of the worker that holds the connection of an organisation. Each organisation has its own worker. */
export function liveName(organisation: string): string {
  return NAME + organisation;
}

export function organisationOf(scriptName: string): string {
  return scriptName.slice(NAME.length);
}
