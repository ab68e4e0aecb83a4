import { describe, expect, it } from "vitest";
import { Door } from "./door.ts";

/** Works that begin when they are let in, and end when they are asked to. */
function visitsTo(door: Door) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const visit = (orgId: string, name: string): Promise<void> =>
    door.through(orgId, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve() : reject(error))),
      );
    });
  return { begun, visit, end: (name: string, error?: Error) => ends.get(name)?.(error) };
}

describe("the door to starts", () => {
  it("lets in so many of an organisation, the others in order, and does not keep another one waiting", async () => {
    const { begun, visit, end } = visitsTo(new Door(2));
    const visits = ["a1", "a2", "a3", "a4"].map((name) => visit("a", name));
    const other = visit("b", "b1");
    expect(begun).toEqual(["a1", "a2", "b1"]);
    end("a2");
    await visits[1];
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
    for (const name of ["a1", "a3"]) end(name);
    await Promise.all([visits[0], visits[2]]);
    for (const name of ["a4", "b1"]) end(name);
    await Promise.all([...visits, other]);
    expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  it("is free again after a failure", async () => {
    const { begun, visit, end } = visitsTo(new Door(1));
    const first = visit("a", "first");
    const second = visit("a", "second");
    end("first", new Error("the database is away"));
    await expect(first).rejects.toThrow("away");
    end("second");
    await second;
    const third = visit("a", "third");
    expect(begun).toEqual(["first", "second", "third"]);
    end("third");
    await third;
  });
});
