import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Api, createApi, GATED, STRANGER } from "../../../test/api/fixture.ts";

const ASKING = `name: asking
args:
  who: { type: string, required: true }
steps:
  - { id: decide, name: "Pay \${who}?", approval: required }
  - { id: pay, command: "Pay \${who}", depends_on: [decide] }
`;

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await api.save(GATED);
  await api.save(ASKING);
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

interface Item {
  readonly id: string;
  readonly runId: string;
  readonly subjectDigest: string | null;
}

async function list(query: string, key?: string): Promise<readonly Item[]> {
  const { status, body } = await api.request("GET", `approvals?${query}`, key === undefined ? {} : { key });
  expect([status, query]).toEqual([200, query]);
  return body.data;
}

async function ask(...names: readonly string[]): Promise<readonly Item[]> {
  const runs: string[] = [];
  for (const who of names) runs.push(await api.run("asking", { who }));
  return Promise.all(
    runs.map(async (runId) => {
      const [item] = await list(`run=${runId}`);
      if (item === undefined) throw new Error(`${runId} asks nothing`);
      return item;
    }),
  );
}

describe("the list of approvals", () => {
  it("is filtered, searched, and has subjects only when they are wanted", async () => {
    // Random ids, which are searched too, have no letter l, o or u.
    const [lou, bob] = await ask("Lou", "Bob");
    await api.run("gated");
    const ids = async (query: string) => (await list(query)).map(({ id }) => id);
    expect(await ids("status=pending&workflow=asking&order=oldest")).toEqual([lou?.id, bob?.id]);
    expect(await ids("q=lou")).toEqual([lou?.id]);
    expect(await ids(`run=${bob?.runId}`)).toEqual([bob?.id]);
    expect(await ids("q=nothing+like+this")).toEqual([]);
    expect(await ids("agent=no-such-agent")).toEqual([]);
    expect(await ids("older_than=4h")).toEqual([]);
    expect((await ids("older_than=2100-01-01")).length).toBe(3);
    expect((await ids("source=gate&mine=true")).length).toBe(3);
    expect(await ids("source=policy")).toEqual([]);
    const [shown] = (await api.request("GET", "approvals?q=lou&include=subject")).body.data;
    expect(shown.subject.args).toEqual({ who: "Lou" });
    const [plain] = (await api.request("GET", "approvals?q=lou")).body.data;
    expect(plain.subject).toBeNull();
    expect((await api.request("GET", `approvals/${lou?.id}`)).body.subject.title).toBe(shown.title);
    expect((await list("status=pending", STRANGER)).length).toBe(0);
    for (const query of ["mine=yes", "order=random", "older_than=soon", "status=open", "nonsense=1", "include=all"]) {
      expect((await api.request("GET", `approvals?${query}`)).status, query).toBeGreaterThanOrEqual(400);
    }
  });

  it("shows nothing as the caller's own without the permission to answer, and counts", async () => {
    const viewer = await api.key("viewer");
    expect(await list("mine=true", viewer)).toEqual([]);
    const counts = async (key?: string) =>
      (await api.request("GET", "approvals/counts", key === undefined ? {} : { key })).body;
    const { waiting } = await counts();
    expect(await counts()).toEqual({ waiting, mine: waiting, assigned: 0 });
    expect(await counts(viewer)).toEqual({ waiting, mine: 0, assigned: 0 });
    const [first] = await list("status=pending");
    await api.request("PUT", `approvals/${first?.id}/assignee`, { body: { to: "me" } });
    expect(await counts()).toEqual({ waiting, mine: waiting, assigned: 1 });
    expect(await list("assignee=me")).toMatchObject([{ id: first?.id, assignee: "key:admin" }]);
    expect((await list("assignee=none&limit=100")).some(({ id }) => id === first?.id)).toBe(false);
    await api.request("PUT", `approvals/${first?.id}/assignee`, { body: { to: null } });
    expect(await list("assignee=me")).toEqual([]);
    const bad = await api.request("PUT", `approvals/${first?.id}/assignee`, { body: { to: "someone" } });
    expect([bad.status, bad.body.code]).toEqual([422, "invalid_request"]);
  });
});

describe("the right to answer", () => {
  it("is shown with the reason against it", async () => {
    const [item] = await ask("Right");
    const right = async (key?: string) =>
      (await api.request("GET", `approvals/${item?.id}/right`, key === undefined ? {} : { key })).body;
    expect(await right()).toMatchObject({ mayAnswer: true, code: null });
    expect(await right(await api.key("viewer"))).toMatchObject({ mayAnswer: false, code: "forbidden" });
    await api.request("POST", `approvals/${item?.id}/resolve`, { body: { decision: "approve" } });
    expect(await right()).toMatchObject({ mayAnswer: false, code: "approval_closed" });
  });
});

describe("comments", () => {
  it("are kept in their order, and recorded", async () => {
    const [item] = await ask("Comment");
    const path = `approvals/${item?.id}/comments`;
    const added = await api.request("POST", path, { body: { text: " why this much? " } });
    expect([added.status, added.body]).toMatchObject([201, { by: "admin", text: "why this much?" }]);
    await api.request("POST", path, { body: { text: "<script>alert(1)</script>" } });
    expect((await api.request("GET", path)).body.data).toMatchObject([
      { text: "why this much?" },
      { text: "<script>alert(1)</script>" },
    ]);
    expect((await api.request("POST", path, { body: { text: " " } })).status).toBe(422);
    expect((await api.request("POST", path, { body: { text: "x".repeat(10_001) } })).status).toBe(422);
    expect((await api.request("POST", "approvals/apr_none/comments", { body: { text: "x" } })).status).toBe(404);
    expect((await api.request("GET", path, { key: STRANGER })).status).toBe(404);
    const { data } = (await api.request("GET", "audit?type=approval.commented")).body;
    expect(data).toHaveLength(2);
  });
});

describe("answers to many at once", () => {
  it("are each judged and recorded as if they had come alone", async () => {
    const names = Array.from({ length: 200 }, (_, index) => `Person ${index}`);
    const items = await ask(...names);
    expect(items).toHaveLength(200);
    const [closed, changed] = items;
    await api.request("POST", `approvals/${closed?.id}/resolve`, { body: { decision: "reject", reason: "no" } });
    const answers = items.map(({ id, subjectDigest }) => ({ id, decision: "approve", subjectDigest }));
    answers[1] = { ...answers[1], id: changed?.id ?? "", decision: "approve", subjectDigest: "sha256:other" };
    const { status, body } = await api.request("POST", "approvals/resolve", { body: { answers } });
    expect([status, body.answered, body.refused]).toEqual([200, 198, 2]);
    expect(body.data.slice(0, 3)).toMatchObject([
      { id: closed?.id, isAnswered: false, code: "approval_closed" },
      { id: changed?.id, isAnswered: false, code: "content_changed" },
      { isAnswered: true, code: null, approval: { status: "approved", subject: null } },
    ]);
    const recorded = new Set<string>();
    let cursor = "";
    do {
      const page = (await api.request("GET", `audit?type=approval.resolved&limit=100${cursor}`)).body;
      for (const { resource } of page.data) recorded.add(resource);
      cursor = page.nextCursor === undefined ? "" : `&cursor=${page.nextCursor}`;
    } while (cursor !== "");
    for (const { id } of items.slice(2)) expect(recorded.has(`approval/${id}`), id).toBe(true);
    expect(recorded.has(`approval/${changed?.id}`)).toBe(false);
    for (const { runId } of items.slice(2)) expect(await api.settle(runId)).toBe("completed");
  });

  it("need what a single answer needs, and are at most 200", async () => {
    const [item] = await ask("Few");
    const answer = { id: item?.id, decision: "reject", subjectDigest: item?.subjectDigest };
    const send = (answers: unknown, key?: string) =>
      api.request("POST", "approvals/resolve", { body: { answers }, ...(key === undefined ? {} : { key }) });
    expect((await send([answer])).body.data).toMatchObject([{ isAnswered: false, code: "reason_required" }]);
    const unseen = { ...answer, reason: "no", subjectDigest: null };
    expect((await send([unseen])).body.data).toMatchObject([{ isAnswered: false, code: "content_changed" }]);
    const unknown = { ...answer, id: "apr_none" };
    expect((await send([unknown])).body.data).toMatchObject([{ code: "unknown_approval" }]);
    expect((await send([answer], STRANGER)).body.data).toMatchObject([{ code: "unknown_approval" }]);
    expect((await send([])).status).toBe(422);
    expect((await send(Array.from({ length: 201 }, () => answer))).status).toBe(422);
    const { subjectDigest: _, ...bare } = answer;
    expect((await send([bare])).status).toBe(422);
    const twice = { ...answer, reason: "no" };
    const { body } = await send([twice, twice]);
    expect([body.answered, body.refused]).toEqual([1, 1]);
  });
});
