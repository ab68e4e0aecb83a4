import { describe, expect, it } from "vitest";
import { type NewUpload, type Store, UNUSED_FILE_MS } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const hash = (letter: string): string => letter.repeat(64);
const part = (number: number, size: number, letter: string) => ({
  part: number,
  size,
  sha256: hash(letter),
  object: `object ${letter}`,
});

export function fileRules(subjectOf: SubjectOf): void {
  const upload = (id: string, parts: Partial<NewUpload> = {}): NewUpload => ({
    id,
    orgId: "org_1",
    name: `${id} ä "\\.pdf`,
    mime: "application/pdf",
    size: 9_000_000,
    sha256: null,
    place: `plain/${id}`,
    createdBy: "key_1",
    createdAt: 0,
    ...parts,
  });
  /** An upload of two parts that has become a file. */
  const complete = async (store: Store, id: string, sha256: string, parts: Partial<NewUpload> = {}) => {
    const made = await store.openUpload(upload(id, { createdAt: await store.now(), ...parts }));
    await store.putPart(made.orgId, made.id, part(2, 611_392, "2"));
    await store.putPart(made.orgId, made.id, part(1, 8_388_608, "1"));
    return store.completeUpload(made.orgId, made.id, { sha256, parts: ["object 1", "object 2"] });
  };
  const file = (name: string, sha256: string) => ({ name, mime: "text/plain", size: 9_000_000, sha256 });

  describe("files", () => {
    it("take parts in any order and again, and become a file once", async () => {
      const { store, rival } = subjectOf();
      const made = await store.openUpload(upload("up_1"));
      expect(made).toEqual({ ...upload("up_1"), parts: [], completed: null });
      expect(await store.putPart("org_1", "up_1", part(2, 5, "9"))).toEqual({ replaced: null });
      expect(await rival.putPart("org_1", "up_1", part(1, 8, "1"))).toEqual({ replaced: null });
      expect(await rival.putPart("org_1", "up_1", part(2, 6, "2"))).toEqual({ replaced: "object 9" });
      const parts = [part(1, 8, "1"), part(2, 6, "2")];
      expect((await store.getUpload("org_1", "up_1"))?.parts).toEqual(parts);
      expect(await store.getUpload("org_2", "up_1")).toBeUndefined();
      expect(await store.getUpload("org_1", "up\0")).toBeUndefined();
      expect(await store.putPart("org_2", "up_1", part(1, 8, "7"))).toBeUndefined();
      const done = { sha256: hash("a"), parts: ["object 1", "object 2"] };
      expect(await store.completeUpload("org_1", "up_1", { ...done, parts: ["object 1", "object 9"] })).toBeUndefined();
      expect(await store.completeUpload("org_2", "up_1", done)).toBeUndefined();
      const kept = await store.completeUpload("org_1", "up_1", done);
      const { name, mime, size, place } = upload("up_1");
      expect(kept).toMatchObject({ orgId: "org_1", name, mime, size, place, ...done });
      expect(await rival.completeUpload("org_1", "up_1", done)).toEqual(kept);
      expect(await rival.getFile("org_1", hash("a"))).toEqual(kept);
      expect(await rival.getFile("org_2", hash("a"))).toBeUndefined();
      expect(await store.putPart("org_1", "up_1", part(1, 8, "7"))).toBeUndefined();
      expect(await store.dropUpload("org_1", "up_1")).toBe(false);
      expect((await store.getUpload("org_1", "up_1"))?.completed).toBe(hash("a"));
    });

    it("continue an open upload of the same content by the same caller, and of nothing else", async () => {
      const { store } = subjectOf();
      const known = { sha256: hash("a") };
      await store.openUpload(upload("up_1", { name: "a.txt", ...known }));
      await store.putPart("org_1", "up_1", part(1, 8, "1"));
      const again = await store.openUpload(upload("up_2", { name: "a.txt", ...known }));
      expect(again).toMatchObject({ id: "up_1", parts: [{ part: 1 }] });
      for (const other of [{ createdBy: "key_2" }, { orgId: "org_2" }, { size: 1 }, { sha256: null }, { name: "b" }]) {
        const id = `up_${JSON.stringify(other)}`;
        expect((await store.openUpload(upload(id, { name: "a.txt", ...known, ...other }))).id).toBe(id);
      }
      expect(await store.dropUpload("org_1", "up_1")).toBe(true);
      expect(await store.listFileGarbage(10)).toEqual(["plain/up_1"]);
      expect((await store.openUpload(upload("up_3", { name: "a.txt", ...known }))).id).toBe("up_3");
    });

    it("keep equal content once for an organisation, and give the other copy to the garbage", async () => {
      const { store } = subjectOf();
      const first = await complete(store, "up_1", hash("a"));
      expect(await complete(store, "up_2", hash("a"))).toEqual(first);
      expect(await store.listFileGarbage(10)).toEqual(["plain/up_2"]);
      expect((await complete(store, "up_3", hash("a"), { orgId: "org_2" }))?.place).toBe("plain/up_3");
      await store.clearFileGarbage(["plain/up_2"]);
      expect(await store.listFileGarbage(10)).toEqual([]);
      expect((await store.listFiles("org_1", { limit: 5, cursor: null })).data.map(({ sha256 }) => sha256)).toEqual([
        hash("a"),
      ]);
    });

    it("are listed newest first, page by page", async () => {
      const { store, passTime } = subjectOf();
      for (const letter of ["a", "b", "c"]) {
        await complete(store, `up_${letter}`, hash(letter));
        await passTime(10);
      }
      const first = await store.listFiles("org_1", { limit: 2, cursor: null });
      const rest = await store.listFiles("org_1", { limit: 2, cursor: first.nextCursor });
      expect([...first.data, ...rest.data].map(({ sha256 }) => sha256)).toEqual(["c", "b", "a"].map(hash));
      expect(rest.nextCursor).toBeNull();
    });

    it("are referred to by the runs that commit them, under each name once", async () => {
      const { store } = subjectOf();
      await complete(store, "up_1", hash("a"));
      const files = [file("b.txt", hash("a")), file("a.txt", hash("a")), file("a.txt", hash("a"))];
      await store.commit([creation("run_1", {}, { files: [...files, file("gone.txt", hash("f"))] })]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { files: [file("a.txt", hash("a"))] })]);
      expect(await store.listRunFiles("org_1", "run_1")).toEqual([file("a.txt", hash("a")), file("b.txt", hash("a"))]);
      expect(await store.listRunFiles("org_2", "run_1")).toEqual([]);
      // Another version of the run: nothing of it is written.
      await complete(store, "up_2", hash("b"));
      await store.commit([share("run_1", 7, logFrom(3, 1), { files: [file("c.txt", hash("b"))] })]);
      expect(await store.listRunFiles("org_1", "run_1")).toHaveLength(2);
    });

    it("without a run become garbage after a day, those of a run and those claimed since do not", async () => {
      const { store, passTime } = subjectOf();
      await complete(store, "up_a", hash("a"));
      await complete(store, "up_b", hash("b"));
      await complete(store, "up_c", hash("c"));
      await store.openUpload(upload("up_open", { createdAt: await store.now() }));
      await store.commit([creation("run_1", {}, { files: [file("b.txt", hash("b"))] })]);
      expect(await store.sweepFiles(100)).toBe(0);
      await passTime(UNUSED_FILE_MS - 60_000);
      expect((await store.claimFiles("org_1", [hash("c"), hash("c"), hash("f")])).map(({ sha256 }) => sha256)).toEqual([
        hash("c"),
      ]);
      expect(await store.claimFiles("org_2", [hash("a")])).toEqual([]);
      expect(await store.sweepFiles(100)).toBe(0);
      await passTime(120_000);
      expect(await store.sweepFiles(100)).toBeGreaterThan(0);
      expect(await store.listFileGarbage(10)).toEqual(["plain/up_a", "plain/up_open"]);
      expect(await store.getFile("org_1", hash("a"))).toBeUndefined();
      expect((await store.getFile("org_1", hash("b")))?.place).toBe("plain/up_b");
      expect((await store.getFile("org_1", hash("c")))?.place).toBe("plain/up_c");
      expect(await store.getUpload("org_1", "up_open")).toBeUndefined();
      expect(await store.getUpload("org_1", "up_b")).toBeUndefined();
    });

    it("completed by several at once are kept once", async () => {
      const { store, rival } = subjectOf();
      const done = await Promise.all(
        ["up_1", "up_2", "up_3", "up_4"].map((id, index) => complete(index % 2 === 0 ? store : rival, id, hash("a"))),
      );
      expect(new Set(done.map((one) => one?.place)).size).toBe(1);
      expect(await store.listFileGarbage(10)).toHaveLength(3);
    });
  });
}
