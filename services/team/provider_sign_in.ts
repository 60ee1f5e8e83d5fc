import type { Storage } from "../../adapters/storage.ts";
import { MEMBERS } from "../../model/kinds.ts";
import { isBound } from "../../model/team/member.ts";
import { BINDINGS, FORMER_MEMBERS, MEMBER_ADDRESSES } from "../../model/team/records.ts";
import type { Role } from "../../model/team/roles.ts";
import { change } from "../change.ts";
import { bindingIdOf, tracesOf } from "./identity.ts";
import { memberOf } from "./members.ts";
import { prepareSession, startSession } from "./sessions.ts";

/** The reason why a person whom the provider knows was not let in. */
export type ProviderRefusal =
  /** The person is no member, and does not become one by themselves. */
  | "no_access"
  /** Another identity at the provider belongs to the member with this address. */
  | "other_identity";

/** A person whom the OpenID Connect provider has identified. */
export interface ProviderPerson {
  /** The issuer, as it is configured. */
  readonly issuer: string;
  readonly subject: string;
  readonly userEmail: string;
  readonly userName: string;
  /** The role in which the person joins by themselves, if at all. */
  readonly joins: Role | undefined;
}

/** The outcome of signing in at a provider. */
export type ProviderSignIn =
  /** The token of the new session. */
  | { readonly token: string }
  | { readonly refused: ProviderRefusal };

/**
 * Signs in the member who belongs to a person at the provider: who is bound to this identity, else
 * who has the address, and is bound now. Somebody who was removed does not join again.
 */
export async function signInByProvider(
  storage: Storage,
  { joins, ...person }: ProviderPerson,
  { at, former }: { readonly at: string; readonly former: string | undefined },
): Promise<ProviderSignIn> {
  const { issuer, subject, userEmail, userName } = person;
  const identity = { issuer, subject };
  const [bindingId, traces] = await Promise.all([
    bindingIdOf(identity),
    tracesOf(storage, { userEmail, identity }),
  ]);
  const newcomer = joins && memberOf({ userEmail, userName, role: joins, identity }, at);
  // The limit of sessions concerns members alone, who are found before the change.
  const seenId = (await storage.get(BINDINGS, bindingId))?.memberId ??
    (await storage.get(MEMBER_ADDRESSES, userEmail))?.memberId ?? newcomer?.memberId;
  if (seenId === undefined) return { refused: "no_access" };
  const next = await prepareSession(storage, seenId, { at, former, isOfProvider: true });

  return await change<ProviderSignIn>(storage, function* (tools) {
    const { read, put } = tools;
    const binding = yield* read(BINDINGS, bindingId);
    const bound = binding && (yield* read(MEMBERS, binding.memberId));
    if (bound?.issuer === issuer && bound.subject === subject) {
      yield* startSession(tools, bound, next);
      return { token: next.token };
    }
    const owner = yield* read(MEMBER_ADDRESSES, userEmail);
    const member = owner && (yield* read(MEMBERS, owner.memberId));
    if (member !== undefined) {
      if (isBound(member, issuer)) return { refused: "other_identity" };
      put(BINDINGS, { bindingId, memberId: member.memberId });
      yield* startSession(tools, { ...member, ...identity }, next);
      return { token: next.token };
    }
    if (newcomer === undefined) return { refused: "no_access" };
    for (const formerId of traces) {
      if ((yield* read(FORMER_MEMBERS, formerId)) !== undefined) return { refused: "no_access" };
    }
    const { memberId } = newcomer;
    put(BINDINGS, { bindingId, memberId });
    put(MEMBER_ADDRESSES, { userEmail, memberId });
    yield* read(MEMBERS, memberId);
    yield* startSession(tools, newcomer, next);
    return { token: next.token };
  });
}
