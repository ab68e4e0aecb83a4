/**
 * Restate: a service whose handler runs each node as `ctx.run`, journaled by its server, in waves of `RestatePromise.all`.
 *
 * Settings: the server that comes with the package, with one node and its own log on the disk, as its documentation starts
 * it; the service is served by this process over HTTP/2. No keys and no retries of ours: both would only cost it time.
 *
 * Called with `isByCallback` each node is an awakeable, which this process resolves over HTTP as soon as the journal has
 * it: work that is done elsewhere and reported back.
 */
import { createServer } from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import * as clients from "@restatedev/restate-sdk-clients";

// Its SDK needs it, and Node has it from version 22 on.
Promise.withResolvers ??= () => {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
};

export const name = "Restate";
export const packageName = "@restatedev/restate-server";

const service = (node) => {
  const nodes = (ctx, count) => restate.RestatePromise.all(Array.from({ length: count }, () => node(ctx)));
  return restate.service({
    name: "bench",
    handlers: {
      diamond: async (ctx) => {
        await node(ctx);
        await nodes(ctx, 4);
        await nodes(ctx, 4);
        await node(ctx);
      },
      chain: async (ctx, length) => {
        for (let done = 0; done < length; done += 1) await node(ctx);
      },
      fanOut: async (ctx, size) => {
        await node(ctx);
        await nodes(ctx, size - 1);
      },
    },
  });
};

const direct = (ctx) => ctx.run("node", async () => "go");

async function register(restateAdminUrl, uri) {
  const reply = await fetch(`${restateAdminUrl}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri }),
  });
  if (!reply.ok) throw new Error(`the service was not registered: ${reply.status} ${await reply.text()}`);
}

export async function open({ restateIngressUrl, restateAdminUrl }, isByCallback = false) {
  const ingress = clients.connect({ url: restateIngressUrl });
  const byCallback = (ctx) => {
    const { id, promise } = ctx.awakeable();
    // Sent outside the journal: a handler that is replayed sends again, which the server takes once.
    ingress.resolveAwakeable(id, "go").catch(() => {});
    return promise;
  };
  const bench = service(isByCallback ? byCallback : direct);
  const server = createServer(restate.createEndpointHandler({ services: [bench], logger: () => {} }));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  await register(restateAdminUrl, `http://127.0.0.1:${server.address().port}`);
  const client = ingress.serviceClient({ name: "bench" });
  return {
    runDiamond: () => client.diamond(),
    runChain: (length) => client.chain(length),
    runFanOut: (size) => client.fanOut(size),
    // The process ends with the measurement, and the server with it.
    close: async () => {},
  };
}
