import { normalizeIssuer } from "../../model/oidc/claims.ts";
import type { RouteContext } from "../branded.ts";
import { MEMBERS } from "../../model/kinds.ts";
import { flag, object, part, pick, settable, text, time } from "../../model/declare.ts";
import { MEMBER, type Member, showMember } from "../../model/team/member.ts";
import { ROLE_SCOPES } from "../../model/team/roles.ts";
import { inviteMember } from "../../services/team/invitations.ts";
import {
  addMember,
  listMembers,
  memberOf,
  removeMember,
  signOutMember,
  updateMember,
} from "../../services/team/members.ts";
import { removeSessions } from "../../services/team/sessions.ts";
import { changeReply, expectationOf, faultProblem, replyUnlessKnown } from "../_http/conditions.ts";
import { checkScopes } from "../_http/credentials.ts";
import { type Context, type Operation, operation, type Outcome } from "../_http/operation.ts";
import { ORDERED_PAGE_FIELDS, pageReply } from "../_http/page.ts";
import { Problem } from "../_http/problem.ts";
import { jsonReply } from "../_http/reply.ts";

const PATH = "/api/v1/team";
const ONE = `${PATH}/:memberId`;
const SCOPE = "keys:write";

const INVITATION_FIELDS = {
  url: text(
    "The link that signs the member in, once: absolute, or the path below the base URL of a " +
      "server without a public URL.",
    "https://example.com/studio/in/m7k2q9xt0000000000000000000000000000000",
  ),
  expiresAt: time("When the link ends."),
  mailed: flag("Whether a mail with the link is on its way."),
};
const INVITATION = object("Invitation", "A link that signs a member in, once.", INVITATION_FIELDS);
const INVITED = object("InvitedMember", "A new member and their invitation.", {
  ...MEMBER.fields,
  invitation: part("The link that signs the member in.", INVITATION_FIELDS),
});

/** Creates the operations on the members of the team. */
export function operations({ publicUrl, oidc }: RouteContext): readonly Operation[] {
  const issuer = oidc && normalizeIssuer(oidc.issuer);
  const show = (member: Member) => showMember(member, issuer);

  /** Returns a member, or a problem if the caller may not change them. */
  async function find(
    { storage, param, caller }: Pick<Context, "storage" | "param" | "caller">,
  ): Promise<Member | Problem> {
    const member = await storage.get(MEMBERS, param);
    if (member === undefined) return new Problem("member_not_found");
    return checkScopes(caller, ROLE_SCOPES[member.role]) ?? member;
  }

  async function invite(
    { storage, now, hasMail, worker }: Pick<Context, "storage" | "now" | "hasMail" | "worker">,
    memberId: string,
  ) {
    const mailed = publicUrl !== undefined && await hasMail();
    const invitation = await inviteMember(storage, memberId, { at: now.text, isMailed: mailed });
    if (invitation === undefined) return undefined;
    if (mailed) worker?.wake();
    const url = `${publicUrl ?? ""}/studio/in/${invitation.token}`;
    return { url, expiresAt: invitation.endsAt, mailed };
  }

  async function change(
    context: Pick<Context, "request" | "storage" | "now"> & {
      readonly body: Partial<Pick<Member, "userEmail" | "userName" | "role" | "digest">> | object;
    },
    memberId: string,
  ): Promise<Outcome> {
    const { request, storage, body, now } = context;
    const given = Object.entries(body).filter(([, value]) => value != null);
    const member = await updateMember(storage, memberId, {
      change: Object.fromEntries(given),
      at: now.text,
      isExpected: expectationOf<Member>(request, show),
    });
    if (member === "exists") return "member_exists";
    if (typeof member === "string") return faultProblem(member, request, "member_not_found");
    return changeReply(show(member));
  }

  return [
    operation("GET", PATH, {
      operationId: "listMembers",
      summary: "List the members of the team",
      description: "By address.",
      scope: SCOPE,
      query: ORDERED_PAGE_FIELDS,
      successes: [{ status: 200, description: "A page of members.", page: MEMBER }],
      run: ({ storage, query }) =>
        pageReply(query, (page) => listMembers(storage, page), {
          listing: "team",
          positionOf: ({ memberId, userEmail }) => ({ key: memberId, by: userEmail }),
          show,
        }),
    }),

    operation("POST", PATH, {
      operationId: "createMember",
      summary: "Add a member to the team",
      description: "Also creates an invitation, which is mailed where mail can be sent. A caller " +
        "needs every scope of the role.",
      scope: SCOPE,
      body: settable(MEMBER.fields),
      required: ["userEmail", "userName", "role"],
      successes: [{ status: 201, schema: INVITED, headers: ["Location"] }],
      problems: ["member_exists", "insufficient_scope"],
      async run(context) {
        const { storage, body, now, caller, basePath } = context;
        const refused = checkScopes(caller, ROLE_SCOPES[body.role]);
        if (refused !== undefined) return refused;
        const member = memberOf({ ...body, digest: body.digest ?? undefined }, now.text);
        if (!await addMember(storage, member)) return "member_exists";
        const invitation = await invite(context, member.memberId);
        const Location = `${basePath}${PATH}/${member.memberId}`;
        return jsonReply(201, { ...show(member), invitation }, { Location });
      },
    }),

    operation("GET", `${PATH}/me`, {
      operationId: "getMe",
      summary: "Read the member who has the session",
      scope: "any",
      successes: [{ status: 200, schema: MEMBER, headers: ["ETag"] }],
      problems: ["member_not_found"],
      async run({ request, storage, caller }) {
        const member = await storage.get(MEMBERS, caller.memberId ?? "-");
        return member === undefined ? "member_not_found" : replyUnlessKnown(request, member, show);
      },
    }),

    operation("PATCH", `${PATH}/me`, {
      operationId: "changeMe",
      summary: "Change one's own name or morning mail",
      scope: "any",
      body: pick(settable(MEMBER.fields), "userName", "digest"),
      isConditional: true,
      successes: [{ status: 200, schema: MEMBER, headers: ["ETag"] }],
      problems: ["member_not_found"],
      run: (context) => change(context, context.caller.memberId ?? "-"),
    }),

    operation("GET", ONE, {
      operationId: "getMember",
      summary: "Read a member",
      scope: SCOPE,
      successes: [{ status: 200, schema: MEMBER, headers: ["ETag"] }],
      async run({ request, storage, param }) {
        const member = await storage.get(MEMBERS, param);
        return member === undefined ? "member_not_found" : replyUnlessKnown(request, member, show);
      },
    }),

    operation("PATCH", ONE, {
      operationId: "changeMember",
      summary: "Change a member",
      description: "Another address ends the member's sessions, invitations and binding to the " +
        "provider. A caller needs every scope of the member's role, and of a new one.",
      scope: SCOPE,
      body: settable(MEMBER.fields),
      isConditional: true,
      successes: [{ status: 200, schema: MEMBER, headers: ["ETag"] }],
      problems: ["member_exists", "own_membership", "insufficient_scope"],
      async run(context) {
        const { body: { role }, caller } = context;
        const member = await find(context);
        if (member instanceof Problem) return member;
        const refused = role == null ? undefined : checkScopes(caller, ROLE_SCOPES[role]);
        if (refused !== undefined) return refused;
        const isOwn = member.memberId === caller.memberId;
        if (isOwn && role != null && role !== member.role) return "own_membership";
        return await change(context, member.memberId);
      },
    }),

    operation("DELETE", ONE, {
      operationId: "removeMember",
      summary: "Remove a member",
      description: "Ends the member's sessions. What the member made stays.",
      scope: SCOPE,
      isConditional: true,
      successes: [{ status: 204, description: "The member is removed." }],
      problems: ["own_membership", "insufficient_scope"],
      async run(context) {
        const { request, storage, caller } = context;
        const found = await find(context);
        if (found instanceof Problem) return found;
        const { memberId } = found;
        if (memberId === caller.memberId) return "own_membership";
        const isExpected = expectationOf<Member>(request, show);
        const removed = await removeMember(storage, memberId, isExpected);
        if (typeof removed === "string") return faultProblem(removed, request, "member_not_found");
        await removeSessions(storage, memberId);
        return { status: 204 };
      },
    }),

    operation("POST", `${ONE}/invite`, {
      operationId: "inviteMember",
      summary: "Invite a member again",
      description: "The new invitation ends the former one and the member's binding to the " +
        "provider.",
      scope: SCOPE,
      successes: [{ status: 200, schema: INVITATION }],
      problems: ["insufficient_scope"],
      async run(context) {
        const member = await find(context);
        if (member instanceof Problem) return member;
        const invitation = await invite(context, member.memberId);
        return invitation === undefined ? "member_not_found" : jsonReply(200, invitation);
      },
    }),

    operation("POST", `${ONE}/sign-out`, {
      operationId: "signOutMember",
      summary: "End a member's sessions and invitations",
      scope: SCOPE,
      successes: [{ status: 204, description: "The member is signed out everywhere." }],
      problems: ["insufficient_scope"],
      async run(context) {
        const member = await find(context);
        if (member instanceof Problem) return member;
        const ended = await signOutMember(context.storage, member.memberId);
        return ended === undefined ? "member_not_found" : { status: 204 };
      },
    }),
  ];
}
