import type { Api } from "./api.ts";

/** What `doctor` says of a gateway that the server does not call. */
interface RefusedGateway {
  readonly check: string;
  readonly ok: false;
  readonly detail: string;
  readonly fix: string;
}

/** Gateways whose URL the server refuses, each with the flag that allows it. */
export async function refusedGateways(api: Pick<Api, "listGateways">): Promise<readonly RefusedGateway[]> {
  const { data } = await api.listGateways();
  return data.flatMap(({ id, url, reason, detail = "" }) => {
    if (reason !== "outbound_refused" || url === null) return [];
    const fix = `start the server with --allow-outbound ${new URL(url).host}, if it may call this address`;
    return [{ check: `gateway ${id}`, ok: false, detail, fix }];
  });
}
