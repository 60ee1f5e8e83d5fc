import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { TEAM_MAILS } from "../../model/team/records.ts";
import { isMorningDue, listDueDigests, type News, planDigest } from "../../services/team/digest.ts";
import { openTeamCipher } from "../../services/team/invitations.ts";
import { createService } from "../_support/service.ts";

const BERLIN = "Europe/Berlin";
const MORNING = { now: "2026-11-22T08:00:00.000Z", timeZone: "UTC" };

/** A service with a member of a role, and a board. */
async function start(role: string) {
  const service = createService();
  await service.call("POST", "team", {
    userEmail: "ann@example.com",
    userName: "Ann",
    role,
    digest: true,
  });
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  service.advance(1_000);
  return service;
}

/** Plans the mails of a morning, and returns the news of each. */
async function plan(
  { storage }: Awaited<ReturnType<typeof start>>,
  morning = MORNING,
): Promise<readonly News[]> {
  for (const member of await listDueDigests(storage, morning)) {
    await planDigest(storage, member, morning);
  }
  const cipher = await openTeamCipher(storage);
  const mails = await storage.list(TEAM_MAILS, { limit: 10 });
  return mails.map(({ secret }) => JSON.parse(`${cipher.decrypt(secret)}`));
}

describe("the morning mail", () => {
  it("is due from eight o'clock of the time zone on, once a day, also when clocks change", () => {
    const rows = [
      ["2026-11-21T09:00:00.000Z", "2026-11-22T06:59:59.000Z", BERLIN, false],
      ["2026-11-21T09:00:00.000Z", "2026-11-22T07:00:00.000Z", BERLIN, true],
      ["2026-11-21T09:00:00.000Z", "2026-11-22T22:59:59.000Z", BERLIN, true],
      ["2026-11-22T07:00:00.000Z", "2026-11-22T22:00:00.000Z", BERLIN, false],
      ["2026-03-28T07:00:00.000Z", "2026-03-29T05:59:59.000Z", BERLIN, false],
      ["2026-03-28T07:00:00.000Z", "2026-03-29T06:00:00.000Z", BERLIN, true],
      ["2026-10-24T06:00:00.000Z", "2026-10-25T06:59:59.000Z", BERLIN, false],
      ["2026-10-24T06:00:00.000Z", "2026-10-25T07:00:00.000Z", BERLIN, true],
    ] as const;
    for (const [digestedAt, now, timeZone, isDue] of rows) {
      assertEquals(isMorningDue({ digest: true, digestedAt }, { now, timeZone }), isDue, now);
    }
    const [digestedAt, now] = rows[1];
    assertEquals(isMorningDue({ digest: false, digestedAt }, { now, timeZone: BERLIN }), false);
  });

  it("names new ideas, counts waiting ones without their words, and comes once", async () => {
    const service = await start("editor");
    await service.call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
    await service.call("POST", "boards/ideas/posts", { postId: "spam", title: "Cheap watches" });
    await service.call("PATCH", "boards/ideas/posts/spam", { state: "held" });
    const expected = {
      held: 1,
      reports: 0,
      ideas: [{ title: "Dark mode", boardId: "ideas", postId: "dark" }],
      mailings: [],
      webhooks: [],
    };
    assertEquals(await plan(service), [expected]);
    assertEquals((await listDueDigests(service.storage, MORNING)).length, 0);
  });

  it("has only what the role may read", async () => {
    const service = await start("writer");
    await service.call("POST", "boards/ideas/posts", { postId: "spam", title: "Cheap watches" });
    await service.call("PATCH", "boards/ideas/posts/spam", { state: "held" });
    assertEquals(await plan(service), []);
  });

  it("does not come when nothing is new", async () => {
    const service = await start("admin");
    await service.call("POST", "boards/ideas/posts", { title: "Dark mode" });
    assertEquals((await plan(service)).length, 1);
    await service.storage.transact(
      {
        mail: {
          kind: TEAM_MAILS,
          key: (await service.storage.list(TEAM_MAILS, { limit: 1 }))[0].mailId,
        },
      },
      () => ({ answer: undefined, remove: ["mail"] }),
    );
    const next = { now: "2026-11-23T08:00:00.000Z", timeZone: "UTC" };
    assertEquals(await plan(service, next), []);
  });

  it("is planned by one of two processes", async () => {
    const service = await start("admin");
    await service.call("POST", "boards/ideas/posts", { title: "Dark mode" });
    const [member] = await listDueDigests(service.storage, MORNING);
    await Promise.all([
      planDigest(service.storage, member, MORNING),
      planDigest(service.storage, member, { ...MORNING, now: "2026-11-22T08:00:01.000Z" }),
    ]);
    const mails = await service.storage.list(TEAM_MAILS, { limit: 10 });
    assertEquals(mails.length, 1);
  });
});
