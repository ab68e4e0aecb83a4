import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ground, openGround } from "../../test/channels/ground.ts";
import { openPostOffice, type PostOffice } from "../../test/channels/post-office.ts";
import { ADMIN } from "../../test/api/fixture.ts";
import { callSluice } from "../../test/cli/terminal.ts";

let ground: Ground;
let office: PostOffice;
beforeAll(async () => {
  [ground, office] = await Promise.all([openGround(), openPostOffice()]);
  const mail = {
    type: "email",
    host: "127.0.0.1",
    port: office.port,
    from: "sluice@example.com",
    to: ["ops@example.com"],
  };
  await ground.put("mail", mail);
  ground.start();
});
afterAll(async () => {
  await ground.close();
  await office.close();
  expect(ground.troubles).toEqual([]);
});

const sluice = (...argv: readonly string[]) => callSluice(argv, { env: { SLUICE_URL: ground.url, SLUICE_KEY: ADMIN } });

describe("sluice channels", () => {
  it("test, list and deliveries print what became of a message, and to whom it went", async () => {
    const sent = await sluice("channels", "test", "mail");
    expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/^msg_\w+ arrived( \(\d+\))?\n$/)]);
    expect(office.letters.map(({ subject }) => subject)).toEqual(["Test of the channel mail"]);
    const listed = await sluice("channels", "list");
    expect(listed.out).toMatch(/^CHANNEL +TYPE.*\nmail +email .*127\.0\.0\.1.*ops@example\.com/);
    const deliveries = await sluice("channels", "deliveries", "mail");
    expect(deliveries.out).toMatch(/^DELIVERY +TYPE +TO +STATE.*\n.*channel\.test +ops@example\.com +delivered/);
    const [delivery] = await ground.deliveries("mail");
    const again = await sluice("channels", "redeliver", "mail", delivery?.id ?? "", "--json");
    expect(JSON.parse(again.out)).toMatchObject({ state: "delivered", recipient: "ops@example.com" });
    expect(office.letters).toHaveLength(2);
  });

  it("say what is wrong", async () => {
    const missing = await sluice("channels", "test", "nowhere");
    expect([missing.code, missing.err]).toEqual([expect.any(Number), expect.stringContaining("unknown_channel")]);
    expect(missing.code).not.toBe(0);
    const get = await sluice("channels", "get", "mail", "--json");
    expect(JSON.parse(get.out)).toMatchObject({ id: "mail", type: "email", content: false });
  });
});
