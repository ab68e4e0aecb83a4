import { expect, it } from "vitest";
import type { App } from "../server/index.ts";
import type { CellMap } from "./cell-map.ts";
import { createCellRouter } from "./cell-router.ts";
import type { SharedPeople } from "./people.ts";

function routerOver(answers: Readonly<Record<string, () => Response>>) {
  const apps = new Map(
    Object.entries(answers).map(([cell, answer]) => [cell, { fetch: () => answer() } as Partial<App> as App]),
  );
  return createCellRouter({
    map: {} as Partial<CellMap> as CellMap,
    people: {} as Partial<SharedPeople> as SharedPeople,
    publicUrl: null,
    organisationOfClaims: () => null,
    apps: () => apps,
    onTrouble: () => undefined,
  });
}

it.each(["/readyz", "/metrics"])(
  "%s passes on that the cells refuse the request, as by the name of the host",
  async (path) => {
    const refuse = (): Response => Response.json({ code: "unknown_host" }, { status: 421 });
    const router = routerOver({ north: refuse, south: refuse });
    const answer = await router.fetch(new Request(`http://evil.example${path}`));
    expect([answer.status, await answer.json()]).toEqual([421, { code: "unknown_host" }]);
  },
);

it("/readyz names the cells that are away, and is 503 when all are", async () => {
  const ready = (): Response => Response.json({ status: "ready" });
  const away = (): Response => Response.json({ code: "not_ready" }, { status: 503 });
  const some = await routerOver({ north: ready, south: away }).fetch(new Request("http://localhost/readyz"));
  expect(some.status).toBe(200);
  expect(await some.json()).toMatchObject({ warnings: ["Cells that cannot be used now: south."] });
  const none = await routerOver({ north: away, south: away }).fetch(new Request("http://localhost/readyz"));
  expect(none.status).toBe(503);
});
