/** A command for a terminal with the same effect as a button. */
export interface CommandText {
  readonly label: string;
  readonly cli: string;
  readonly curl: string;
}

export interface CommandSubject {
  readonly origin: string;
  readonly runId: string;
  readonly nodeId: string | null;
  readonly eventId: number | null;
}

/** Returns commands for viewing a run, a node or an event, and for the actions of the page. */
export function commandsFor({ origin, runId, nodeId, eventId }: CommandSubject): readonly CommandText[] {
  const at = `${origin}/api/v1/runs/${encodeURIComponent(runId)}`;
  const run = quoted(runId);
  const list = [
    { label: "Show the run", cli: `sluice runs show ${run}`, curl: get(`${at}/state`) },
    { label: "Watch the run", cli: `sluice runs watch ${run}`, curl: `${get(`${at}/events/stream`)} -N` },
    { label: "Cancel", cli: `sluice runs cancel ${run}`, curl: post(`${at}/cancel`, {}) },
    { label: "Restart", cli: `sluice runs restart ${run}`, curl: post(`${at}/restart`, {}) },
    { label: "Recover", cli: `sluice runs recover ${run}`, curl: post(`${at}/recover`, {}) },
  ];
  if (nodeId !== null) {
    const node = quoted(nodeId);
    list.push(
      {
        label: `Show ${nodeId}`,
        cli: `sluice runs show ${run} --node ${node}`,
        curl: get(`${at}/nodes/${encodeURIComponent(nodeId)}`),
      },
      {
        label: `Restart from ${nodeId}`,
        cli: `sluice runs restart ${run} --from-node ${node}`,
        curl: post(`${at}/restart`, { fromNode: nodeId }),
      },
    );
  }
  if (eventId !== null) {
    list.push(
      {
        label: `Show at event ${eventId}`,
        cli: `sluice runs show ${run} --at ${eventId}`,
        curl: get(`${at}/at/${eventId}`),
      },
      {
        label: `Rewind to event ${eventId}`,
        cli: `sluice runs rewind ${run} --to ${eventId}`,
        curl: post(`${at}/rewind`, { eventId }),
      },
      {
        label: `Branch from event ${eventId}`,
        cli: `sluice runs branch ${run} --at ${eventId}`,
        curl: post(`${at}/branch`, { eventId }),
      },
    );
  }
  return list;
}

function get(url: string): string {
  return `curl -H "Authorization: Bearer $SLUICE_KEY" ${quoted(url)}`;
}

function post(url: string, body: object): string {
  return `${get(url)} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

/** Quotes a text for a shell. Text with only safe characters is not changed, other text is in single quotes. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
