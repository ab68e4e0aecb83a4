/**
 * BullMQ: flows of jobs on Redis, whose ends are reported by `QueueEvents`.
 *
 * Settings: Redis keeps an append-only file synced every second, as its documentation asks for in production; ours syncs
 * every commit. One worker takes 200 jobs at a time, for jobs that do nothing but wait the more the better. Finished jobs
 * are kept, which is the default, as ours are.
 *
 * A flow is a tree in which a parent runs after its children. A root with four dependents is no such tree, so it is a job
 * of its own that adds the flow of the other nine; a fan-out is turned around: a job after n - 1 others.
 */
import { randomUUID } from "node:crypto";
import { FlowProducer, Queue, QueueEvents, Worker } from "bullmq";

export const name = "BullMQ";
export const packageName = "bullmq";
export const needsRedis = true;

const queueName = "bench";
const CONCURRENCY = 200;

const job = (id, children = []) => ({ name: "node", queueName, data: {}, opts: { jobId: id }, children });

function restOfDiamond(id) {
  const branches = [0, 1, 2, 3].map((index) => job(`${id}-f${index}`, [job(`${id}-b${index}`)]));
  return job(`${id}-end`, branches);
}

function chain(id, length) {
  let last = job(`${id}-n0`);
  for (let index = 1; index < length; index += 1) last = job(`${id}-n${index}`, [last]);
  return last;
}

const fanOut = (id, size) =>
  job(
    `${id}-end`,
    Array.from({ length: size - 1 }, (_, index) => job(`${id}-n${index}`)),
  );

export async function open({ redisUrl }) {
  const { hostname, port } = new URL(redisUrl);
  const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
  const producer = new FlowProducer({ connection });
  const queue = new Queue(queueName, { connection });
  const events = new QueueEvents(queueName, { connection });
  const waiters = new Map();
  const settle = (jobId, how) => {
    const waiter = waiters.get(jobId);
    waiters.delete(jobId);
    if (waiter !== undefined) how(waiter);
  };
  events.on("completed", ({ jobId }) => settle(jobId, ({ resolve }) => resolve()));
  events.on("failed", ({ jobId, failedReason }) => settle(jobId, ({ reject }) => reject(new Error(failedReason))));
  const worker = new Worker(
    queueName,
    async ({ name: what, data }) => {
      if (what === "root") await producer.add(restOfDiamond(data.id));
      return "go";
    },
    { connection, concurrency: CONCURRENCY },
  );
  worker.on("error", () => {});
  await Promise.all([worker.waitUntilReady(), events.waitUntilReady()]);
  const endOf = (jobId, begin) =>
    new Promise((resolve, reject) => {
      waiters.set(jobId, { resolve, reject });
      begin().catch(reject);
    });
  return {
    runDiamond() {
      const id = randomUUID();
      return endOf(`${id}-end`, () => queue.add("root", { id }, { jobId: `${id}-a` }));
    },
    runChain(length) {
      const id = randomUUID();
      return endOf(`${id}-n${length - 1}`, () => producer.add(chain(id, length)));
    },
    runFanOut(size) {
      const id = randomUUID();
      return endOf(`${id}-end`, () => producer.add(fanOut(id, size)));
    },
    async close() {
      await worker.close();
      await Promise.all([events.close(), queue.close(), producer.close()]);
    },
  };
}
