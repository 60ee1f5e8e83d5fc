import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { ShownMember } from "../../../model/team/member.ts";
import { assertOutcomes, createService, outcomeOf } from "../../_support/service.ts";
import { START, type TestService } from "../../_support/service.ts";
import { signIn } from "../../_support/team.ts";

type Invited = ShownMember & {
  readonly invitation: {
    readonly url: string;
    readonly expiresAt: string;
    readonly mailed: boolean;
  };
};

const ANN = { userEmail: "Ann@Example.com", userName: "Ann", role: "admin" };

function add({ call }: TestService, fields: Record<string, unknown> = {}): Promise<Invited> {
  return call("POST", "team", { ...ANN, ...fields });
}

describe("a new member", () => {
  it("is answered with an invitation of seven days", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation, ...member } = await add(service);
    assertMatch(memberId, /^[a-z0-9]{8}$/);
    assertEquals(member, {
      userEmail: "ann@example.com",
      userName: "Ann",
      role: "admin",
      digest: true,
      bound: false,
      createdAt: START,
      updatedAt: START,
      lastSeenAt: null,
    });
    assertMatch(invitation.url, /^\/studio\/in\/[\w-]+$/);
    assertEquals([invitation.expiresAt, invitation.mailed], ["2026-11-28T10:00:00.000Z", false]);
  });

  it("gets the morning mail unless they only write", async () => {
    const service = createService({ studio: true });
    const writer = await add(service, { role: "writer" });
    const editor = await add(service, { role: "editor", userEmail: "ed@example.com" });
    assertEquals([writer.digest, editor.digest], [false, true]);
  });

  it("is refused when the address has one, or a field is missing or wrong", async () => {
    const service = createService({ studio: true });
    await add(service);
    await assertOutcomes(service, [
      ["POST", "team", { json: ANN }, "409 member_exists"],
      ["POST", "team", { json: {} }, "422 userEmail:required userName:required role:required"],
      ["POST", "team", { json: { ...ANN, role: "owner" } }, "422 role:invalid_value"],
      ["POST", "team", { json: { ...ANN, userName: " " } }, "422 userName:invalid_value"],
      ["POST", "team", { json: { ...ANN, rôle: "x" } }, "422 rôle:unknown_field"],
    ]);
  });
});

describe("the team", () => {
  it("is listed by address, page by page", async () => {
    const service = createService({ studio: true });
    for (const name of ["cy", "bo", "al"]) {
      await add(service, { userEmail: `${name}@example.com` });
    }
    const first = await service.call<{ data: ShownMember[]; nextCursor: string }>(
      "GET",
      "team?limit=2",
    );
    const rest = await service.call<{ data: ShownMember[] }>(
      "GET",
      `team?cursor=${first.nextCursor}`,
    );
    assertEquals(
      [...first.data, ...rest.data].map(({ userEmail }) => userEmail),
      ["al@example.com", "bo@example.com", "cy@example.com"],
    );
  });

  it("is closed to keys without keys:write", async () => {
    const service = createService({ studio: true });
    const { memberId } = await add(service);
    const key = await service.createKey(["entries:publish", "settings:write"]);
    await assertOutcomes(service, [
      ["GET", "team", { key }, "403 insufficient_scope"],
      ["POST", "team", { key, json: ANN }, "403 insufficient_scope"],
      ["GET", `team/${memberId}`, { key }, "403 insufficient_scope"],
      ["PATCH", `team/${memberId}`, { key, json: {} }, "403 insufficient_scope"],
      ["DELETE", `team/${memberId}`, { key }, "403 insufficient_scope"],
      ["POST", `team/${memberId}/invite`, { key }, "403 insufficient_scope"],
      ["POST", `team/${memberId}/sign-out`, { key }, "403 insufficient_scope"],
      ["GET", "team/me", { key }, "404 member_not_found"],
    ]);
  });

  it("gives nobody more than they have", async () => {
    const service = createService({ studio: true });
    const { memberId } = await add(service);
    const key = await service.createKey(["keys:write", "boards:read", "posts:read"]);
    await assertOutcomes(service, [
      ["POST", "team", { key, json: { ...ANN, role: "writer" } }, "403 insufficient_scope"],
      ["PATCH", `team/${memberId}`, { key, json: { userName: "x" } }, "403 insufficient_scope"],
      ["DELETE", `team/${memberId}`, { key }, "403 insufficient_scope"],
      ["POST", `team/${memberId}/invite`, { key }, "403 insufficient_scope"],
      ["POST", `team/${memberId}/sign-out`, { key }, "403 insufficient_scope"],
      ["GET", `team/${memberId}`, { key }, "200"],
    ]);
  });

  it("answers 404 for somebody who is not in it", async () => {
    await assertOutcomes(createService({ studio: true }), [
      ["GET", "team/nobody00", {}, "404 member_not_found"],
      ["PATCH", "team/nobody00", { json: {} }, "404 member_not_found"],
      ["DELETE", "team/nobody00", {}, "404 member_not_found"],
      ["POST", "team/nobody00/invite", {}, "404 member_not_found"],
      ["POST", "team/nobody00/sign-out", {}, "404 member_not_found"],
    ]);
  });
});

describe("a change of a member", () => {
  it("changes the given fields, and obeys If-Match", async () => {
    const service = createService({ studio: true });
    const { memberId } = await add(service);
    const path = `team/${memberId}`;
    const seen = await service.send("GET", path);
    const headers = { "if-match": seen.headers.get("etag")! };
    const changed = await service.send("PATCH", path, { headers, json: { role: "editor" } });
    assertEquals((await changed.json()).role, "editor");
    await assertOutcomes(service, [
      ["PATCH", path, { headers, json: { role: "admin" } }, "412 precondition_failed"],
      ["DELETE", path, { headers }, "412 precondition_failed"],
      ["DELETE", path, {}, "204"],
      ["GET", path, {}, "404 member_not_found"],
    ]);
  });

  it("moves the address, which is then free for somebody else", async () => {
    const service = createService({ studio: true });
    const { memberId } = await add(service);
    await add(service, { userEmail: "bo@example.com" });
    await assertOutcomes(service, [
      ["PATCH", `team/${memberId}`, { json: { userEmail: "bo@example.com" } }, "409 member_exists"],
      ["PATCH", `team/${memberId}`, { json: { userEmail: "al@example.com" } }, "200"],
      ["POST", "team", { json: ANN }, "201"],
    ]);
  });
});

describe("a session", () => {
  it("has the scopes of the role as it is now, and the member's name", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation } = await add(service, { role: "editor" });
    const browser = await signIn(service, invitation.url);
    const own = async () => await (await browser.send("GET", "key")).json();
    assertEquals(await own(), {
      keyId: memberId,
      name: "Ann",
      scopes: (await own()).scopes,
      expiresAt: "2026-12-21T10:00:00.000Z",
      memberId,
    });
    assertEquals(await outcomeOf(await browser.send("GET", "keys")), "403 insufficient_scope");
    await service.send("PATCH", `team/${memberId}`, { json: { role: "admin" } });
    service.advance(1_000);
    assertEquals(await outcomeOf(await browser.send("GET", "keys")), "200");
  });

  it("counts only with the header that the studio sends, and only in the API", async () => {
    const service = createService({ studio: true });
    const { invitation } = await add(service);
    const browser = await signIn(service, invitation.url);
    const bare = { headers: { "boardcast-studio": "" } };
    assertEquals(
      [
        await outcomeOf(await browser.send("GET", "boards")),
        await outcomeOf(await browser.send("GET", "boards", bare)),
        await outcomeOf(await browser.send("GET", "/metrics")),
      ],
      ["200", "401 missing_credentials", "401 missing_credentials"],
    );
  });

  it("counts beside an Authorization header without a bearer token", async () => {
    const service = createService({ studio: true });
    const { invitation } = await add(service);
    const browser = await signIn(service, invitation.url);
    await assertOutcomes(browser, [
      ["GET", "boards", { headers: { authorization: "Basic YTpi" } }, "200"],
      ["GET", "boards", { headers: { authorization: "Bearer" } }, "400 malformed_credentials"],
      ["GET", "boards", { headers: { authorization: "Bearer other" } }, "401 invalid_token"],
      ["GET", "/metrics", { headers: { authorization: "Basic a" } }, "401 missing_credentials"],
    ]);
  });

  it("ends with sign-out, another address, and the member", async () => {
    const service = createService({ studio: true });
    const rows = [
      ["POST", "/sign-out", undefined],
      ["PATCH", "", { userEmail: "new@example.com" }],
      ["DELETE", "", undefined],
    ] as const;
    for (const [method, path, json] of rows) {
      const { memberId, invitation } = await add(service);
      const browser = await signIn(service, invitation.url);
      assertEquals(await outcomeOf(await browser.send("GET", "boards")), "200");
      await service.send(method, `team/${memberId}${path}`, { json });
      assertEquals(await outcomeOf(await browser.send("GET", "boards")), "401 invalid_token");
      await service.send("DELETE", `team/${memberId}`);
    }
  });

  it("ends 30 days after its last use", async () => {
    const service = createService({ studio: true });
    const { invitation } = await add(service);
    const browser = await signIn(service, invitation.url);
    service.advance(29 * 86_400_000);
    assertEquals(await outcomeOf(await browser.send("GET", "boards")), "200");
    service.advance(29 * 86_400_000);
    assertEquals(await outcomeOf(await browser.send("GET", "boards")), "200");
    service.advance(30 * 86_400_000);
    assertEquals(await outcomeOf(await browser.send("GET", "boards")), "401 invalid_token");
  });

  it("can't change the own role, nor remove its member", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation } = await add(service);
    const browser = await signIn(service, invitation.url);
    const demote = await browser.send("PATCH", `team/${memberId}`, { json: { role: "writer" } });
    const leave = await browser.send("DELETE", `team/${memberId}`);
    assertEquals(
      [await outcomeOf(demote), await outcomeOf(leave)],
      ["409 own_membership", "409 own_membership"],
    );
  });

  it("lets a member change the own name and morning mail", async () => {
    const service = createService({ studio: true });
    const { invitation } = await add(service, { role: "writer" });
    const browser = await signIn(service, invitation.url);
    const sent = { json: { userName: "Anna", digest: true } };
    const { userName, digest } = await (await browser.send("PATCH", "team/me", sent)).json();
    assertEquals([userName, digest], ["Anna", true]);
    const role = await browser.send("PATCH", "team/me", { json: { role: "admin" } });
    assertEquals(await outcomeOf(role), "422 role:unknown_field");
  });

  it("goes when the member has 20 newer ones", async () => {
    const service = createService({ studio: true });
    const { memberId, invitation } = await add(service);
    const first = await signIn(service, invitation.url);
    for (let count = 0; count < 20; count++) {
      service.advance(3_600_000);
      const { url } = await service.call<{ url: string }>("POST", `team/${memberId}/invite`);
      await signIn(service, url);
    }
    assertEquals(await outcomeOf(await first.send("GET", "boards")), "401 invalid_token");
  });
});
