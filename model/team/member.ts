import { choice, flag, hidden, sentFlag, text, time, timeOrNull, withSchema } from "../declare.ts";
import { type Resource, type ShownOf, showRecord, type StoredOf } from "../resource.ts";
import { EMAIL_MAX_OCTETS, parseEmailAddress } from "../values/email_address.ts";
import { NAME_MAX_CODE_POINTS, parseName } from "../values/text.ts";
import { EPOCH } from "../values/time.ts";
import { ROLES } from "./roles.ts";

/** The fields of a member of the team. @internal */
export const MEMBER = {
  name: "members",
  key: "memberId",
  title: "Member",
  description: "A person who signs in to the studio.",
  fields: {
    memberId: text("The identifier, which is not secret.", "m7k2q9xt"),
    userEmail: text("The address, in lower case. Each address has one member.", "ann@example.com", {
      rules: { format: "email", maxLength: EMAIL_MAX_OCTETS },
      parse: parseEmailAddress,
    }),
    userName: text("The name, which entries and keys show.", "Ann", {
      rules: { minLength: 1, maxLength: NAME_MAX_CODE_POINTS },
      parse: parseName,
    }),
    role: choice(
      ROLES,
      "What the member may do: `writer` writes drafts; `editor` publishes, answers ideas and " +
        "changes settings; `admin` may do everything.",
      { example: "editor" },
    ),
    digest: sentFlag(
      "Whether the member gets the morning mail. Default: `true`, for a writer `false`.",
    ),
    bound: withSchema(
      flag("Whether the member signs in at the OpenID Connect provider.", { computed: true }),
      { examples: [false] },
    ),
    createdAt: time("When the member was added."),
    updatedAt: time("When the member last changed."),
    lastSeenAt: timeOrNull("The hour in which the member was last here; `null`: never.", null),
    issuer: hidden("text?"),
    subject: hidden("text?"),
    // A session or an invitation with another number has ended.
    sessionEpoch: hidden("integer", { default: 0 }),
    invitationHash: hidden("text?"),
    invitationEndsAt: hidden("time?"),
    digestedAt: hidden("time", { default: EPOCH }),
  },
  indexes: { byAddress: { by: "userEmail" } },
  personal: true,
  staleMs: 500,
} as const satisfies Resource;

/** A member of the team, as storage keeps it. */
export type Member = StoredOf<typeof MEMBER.fields>;

/** A member as the API shows it. */
export type ShownMember = ShownOf<typeof MEMBER.fields>;

/** Returns a member as the API shows it; `issuer` is that of the configured provider, if any. */
export function showMember(member: Member, issuer: string | undefined): ShownMember {
  return showRecord(MEMBER, member, { bound: isBound(member, issuer) });
}

/** Tells whether a member signs in at the configured provider. */
export function isBound(member: Member, issuer: string | undefined): boolean {
  return issuer !== undefined && member.issuer === issuer;
}
