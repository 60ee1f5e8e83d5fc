import type { AnyKind, Item } from "../../adapters/storage.ts";
import { MEMBERS, SETTINGS } from "../../model/kinds.ts";
import type { Member } from "../../model/team/member.ts";
import { SESSIONS, SIGN_IN_CODES, TEAM_MAILS } from "../../model/team/records.ts";
import { FIRST_LINK } from "./invitations.ts";
import { withoutAccess } from "./members.ts";

const ENDED: readonly string[] = [SESSIONS, SIGN_IN_CODES, TEAM_MAILS].map(({ name }) => name);

/**
 * Returns a record as a copy of the storage has it; `undefined` if the copy lacks it. Members and
 * their bindings are copied, while sessions, codes and invitations end: two services never share
 * them.
 */
export function copiedRecord<R extends Item>(kind: AnyKind, record: R): R | undefined {
  if (ENDED.includes(kind.name)) return undefined;
  if (kind.name === SETTINGS.name && record[SETTINGS.key] === FIRST_LINK) return undefined;
  if (kind.name !== MEMBERS.name) return record;
  return { ...record, ...withoutAccess(record as R & Member, { keepsBinding: true }) };
}
