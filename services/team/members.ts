import type { ListQuery, Storage } from "../../adapters/storage.ts";
import { MEMBERS } from "../../model/kinds.ts";
import { applyChange, fillRecord } from "../../model/resource.ts";
import { MEMBER, type Member } from "../../model/team/member.ts";
import {
  BINDINGS,
  FORMER_MEMBERS,
  MEMBER_ADDRESSES,
  SIGN_IN_CODES,
  TEAM_MAILS,
  teamMailId,
} from "../../model/team/records.ts";
import type { Role } from "../../model/team/roles.ts";
import { generateId } from "../../model/values/record_id.ts";
import { change, type ChangeTools, type Reading } from "../change.ts";
import type { ChangeFault, IsExpected } from "../conditional.ts";
import { bindingIdOf, type Identity, tracesOf } from "./identity.ts";

const ID_LENGTH = 8;

/** The values of a new member. */
export interface NewMember {
  readonly userEmail: string;
  readonly userName: string;
  readonly role: Role;
  /** Default: by the role. */
  readonly digest?: boolean | undefined;
  /** The identity of a member who comes from the provider. */
  readonly identity?: Identity | undefined;
}

/** A change of a member; fields that are absent stay as they are. */
export interface MemberUpdate {
  readonly change: Partial<Pick<Member, "userEmail" | "userName" | "role" | "digest">>;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<Member>;
}

/** Creates the record of a member at a time (RFC 3339, UTC, milliseconds). */
export function memberOf({ identity, ...values }: NewMember, at: string): Member {
  return fillRecord<Member>(MEMBER, {
    ...values,
    memberId: generateId(ID_LENGTH),
    digest: values.digest ?? values.role !== "writer",
    issuer: identity?.issuer ?? null,
    subject: identity?.subject ?? null,
    digestedAt: at,
    createdAt: at,
    updatedAt: at,
  });
}

/**
 * Stores a new member; returns `false`, and changes nothing, if the address has one. Whoever was
 * removed before may then come back.
 */
export async function addMember(storage: Storage, member: Member): Promise<boolean> {
  const { memberId, userEmail } = member;
  const [trace] = await tracesOf(storage, { userEmail, identity: undefined });
  const bindingId = member.issuer === null ? undefined : await bindingIdOf(identityOf(member)!);
  return await change(storage, function* ({ read, put, remove }) {
    const owner = yield* read(MEMBER_ADDRESSES, userEmail);
    if (owner !== undefined || (yield* read(MEMBERS, memberId)) !== undefined) return false;
    const former = yield* read(FORMER_MEMBERS, trace);
    for (const formerId of [trace, ...former?.others ?? []]) {
      yield* read(FORMER_MEMBERS, formerId);
      remove(FORMER_MEMBERS, formerId);
    }
    if (bindingId !== undefined) {
      yield* read(BINDINGS, bindingId);
      put(BINDINGS, { bindingId, memberId });
    }
    put(MEMBER_ADDRESSES, { userEmail, memberId });
    put(MEMBERS, member);
    return true;
  });
}

/** Lists members by address. */
export function listMembers(storage: Storage, query: ListQuery): Promise<readonly Member[]> {
  return storage.list(MEMBERS, { ...query, index: "byAddress" });
}

/** Tells whether there is a member. */
export async function hasMembers(storage: Storage): Promise<boolean> {
  return (await storage.list(MEMBERS, { limit: 1 })).length > 0;
}

/** Returns the member with an address. */
export async function findMember(
  storage: Storage,
  userEmail: string,
): Promise<Member | undefined> {
  const owner = await storage.get(MEMBER_ADDRESSES, userEmail);
  return owner && await storage.get(MEMBERS, owner.memberId);
}

/**
 * Changes a member if it is as expected; returns the changed member. Another address ends sessions,
 * invitations and the binding. `exists`: the new address has another member.
 */
export async function updateMember(
  storage: Storage,
  memberId: string,
  { change: values, at, isExpected }: MemberUpdate,
): Promise<Member | ChangeFault | "exists"> {
  return await change(storage, function* ({ read, put, remove }) {
    const current = yield* read(MEMBERS, memberId);
    if (current === undefined) return "not_found";
    if (!isExpected(current)) return "precondition_failed";
    const changed = applyChange<Member>(current, values, at);
    if (changed === current) return current;
    if (changed.userEmail === current.userEmail) {
      put(MEMBERS, changed);
      return changed;
    }
    if ((yield* read(MEMBER_ADDRESSES, changed.userEmail)) !== undefined) return "exists";
    yield* read(MEMBER_ADDRESSES, current.userEmail);
    remove(MEMBER_ADDRESSES, current.userEmail);
    put(MEMBER_ADDRESSES, { userEmail: changed.userEmail, memberId });
    const moved = withoutAccess(changed, { keepsBinding: false });
    put(MEMBERS, moved);
    yield* dropCodes({ read, remove }, memberId);
    return moved;
  });
}

/**
 * Ends a member's sessions and invitations. Returns the changed member; `undefined` if there is
 * none.
 */
export async function signOutMember(
  storage: Storage,
  memberId: string,
): Promise<Member | undefined> {
  return await change(storage, function* ({ read, put, remove }) {
    const current = yield* read(MEMBERS, memberId);
    if (current === undefined) return undefined;
    const ended = withoutAccess(current, { keepsBinding: true });
    put(MEMBERS, ended);
    yield* dropCodes({ read, remove }, memberId);
    return ended;
  });
}

/**
 * Removes a member if it is as expected; what the member made stays. Keyed hashes remain, so that
 * the person does not come back from the provider without an invitation.
 */
export async function removeMember(
  storage: Storage,
  memberId: string,
  isExpected: IsExpected<Member>,
): Promise<Member | ChangeFault> {
  for (;;) {
    const seen = await storage.get(MEMBERS, memberId);
    if (seen === undefined) return "not_found";
    const identity = identityOf(seen);
    const traces = await tracesOf(storage, { userEmail: seen.userEmail, identity });
    const bindingId = identity && await bindingIdOf(identity);
    const outcome = await change(storage, function* ({ read, put, remove }) {
      const current = yield* read(MEMBERS, memberId);
      if (current === undefined) return "not_found";
      if (!isExpected(current)) return "precondition_failed";
      // Hashing takes a promise, so the traces belong to the member that was seen before.
      if (current.userEmail !== seen.userEmail || current.subject !== seen.subject) return "retry";
      for (const formerId of traces) {
        yield* read(FORMER_MEMBERS, formerId);
        put(FORMER_MEMBERS, { formerId, others: traces.filter((other) => other !== formerId) });
      }
      yield* read(MEMBER_ADDRESSES, current.userEmail);
      remove(MEMBER_ADDRESSES, current.userEmail);
      if (bindingId !== undefined && (yield* read(BINDINGS, bindingId))?.memberId === memberId) {
        remove(BINDINGS, bindingId);
      }
      yield* dropCodes({ read, remove }, memberId);
      remove(MEMBERS, memberId);
      return current;
    });
    if (outcome !== "retry") return outcome;
  }
}

/** Returns the identity at a provider that a member has. */
export function identityOf({ issuer, subject }: Member): Identity | undefined {
  return issuer === null || subject === null ? undefined : { issuer, subject };
}

/** Removes a member's code, and the mails with a code or an invitation that wait. */
export function* dropCodes(
  { read, remove }: Pick<ChangeTools, "read" | "remove">,
  memberId: string,
): Reading<void> {
  yield* read(SIGN_IN_CODES, memberId);
  remove(SIGN_IN_CODES, memberId);
  for (const content of ["code", "invitation"] as const) {
    const mailId = teamMailId(content, memberId);
    yield* read(TEAM_MAILS, mailId);
    remove(TEAM_MAILS, mailId);
  }
}

/** Ends the sessions and invitations of a member and, unless it stays, the binding. */
export function withoutAccess(
  member: Member,
  { keepsBinding }: { readonly keepsBinding: boolean },
): Member {
  return {
    ...member,
    sessionEpoch: member.sessionEpoch + 1,
    invitationHash: null,
    invitationEndsAt: null,
    ...!keepsBinding && { issuer: null, subject: null },
  };
}
