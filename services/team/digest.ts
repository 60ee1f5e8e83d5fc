import type { Storage } from "../../adapters/storage.ts";
import { BOARDS, MEMBERS, REPORTS } from "../../model/kinds.ts";
import type { Board } from "../../model/board.ts";
import { grantsScope, type Scope } from "../../model/keys/api_key.ts";
import type { Member } from "../../model/team/member.ts";
import { TEAM_MAILS, teamMailId, teamMailOf } from "../../model/team/records.ts";
import { ROLE_SCOPES } from "../../model/team/roles.ts";
import { addMs } from "../../model/values/time.ts";
import { toLocalMs } from "../../model/values/time_zone.ts";
import { change } from "../change.ts";
import { listPosts } from "../posts/listing.ts";
import { countPosts } from "../posts/stats.ts";
import { readPages } from "../records.ts";
import { readStats } from "../stats.ts";
import { openTeamCipher } from "./invitations.ts";

/** The news for a member since the last morning mail. */
export interface News {
  /** The number of ideas that wait for approval; 0 if none is new. */
  readonly held: number;
  /** The number of new reports. */
  readonly reports: number;
  /** New public ideas, the newest first. */
  readonly ideas: readonly {
    readonly title: string;
    readonly boardId: string;
    readonly postId: string;
  }[];
  /** The titles of mailings that got into trouble; `null` for the mail of a week. */
  readonly mailings: readonly (string | null)[];
  /** The hosts of webhooks that fail. */
  readonly webhooks: readonly string[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MORNING_HOUR = 8;
const MAX_IDEAS = 20;
const MAX_REPORTS = 1_000;
// A mail of the morning is of no use in the evening.
const USEFUL_MS = 12 * HOUR_MS;

/** The time at which mails of the morning are due, and the zone of its days. */
export interface Morning {
  /** RFC 3339, UTC, milliseconds. */
  readonly now: string;
  /** The name of the time zone (IANA). */
  readonly timeZone: string;
}

/** Tells whether a member's mail of this morning is due. */
export function isMorningDue(
  { digest, digestedAt }: Pick<Member, "digest" | "digestedAt">,
  { now, timeZone }: Morning,
): boolean {
  const localMs = toLocalMs(Date.parse(now), timeZone);
  const lastMs = toLocalMs(Date.parse(digestedAt), timeZone);
  const isOtherDay = Math.floor(localMs / DAY_MS) !== Math.floor(lastMs / DAY_MS);
  return digest && isOtherDay && localMs % DAY_MS >= MORNING_HOUR * HOUR_MS;
}

/** Lists the members whose mail of this morning is due. */
export async function listDueDigests(
  storage: Storage,
  morning: Morning,
): Promise<readonly Member[]> {
  const due: Member[] = [];
  for await (const page of readPages(storage, MEMBERS)) {
    due.push(...page.filter((member) => isMorningDue(member, morning)));
  }
  return due;
}

/**
 * Plans the mail of this morning for a member, once among all processes; without anything new,
 * there is no mail.
 */
export async function planDigest(storage: Storage, seen: Member, morning: Morning): Promise<void> {
  const { memberId, digestedAt, role } = seen;
  const { now } = morning;
  const news = await readNews(storage, ROLE_SCOPES[role], { since: digestedAt, now });
  const secret = (await openTeamCipher(storage)).encrypt(JSON.stringify(news));
  await change(storage, function* ({ read, put }) {
    const member = yield* read(MEMBERS, memberId);
    if (member?.digestedAt !== digestedAt || member.role !== role) return;
    put(MEMBERS, { ...member, digestedAt: now });
    if (!member.digest || isEmpty(news)) return;
    yield* read(TEAM_MAILS, teamMailId("digest", memberId));
    const endsAt = addMs(now, USEFUL_MS);
    put(TEAM_MAILS, teamMailOf("digest", { memberId, secret, at: now, endsAt }));
  });
}

function isEmpty({ held, reports, ideas, mailings, webhooks }: News): boolean {
  return held + reports + ideas.length + mailings.length + webhooks.length === 0;
}

/** Reads what is new between two times (RFC 3339, UTC, milliseconds), as scopes allow. */
async function readNews(
  storage: Storage,
  scopes: readonly Scope[],
  { since, now }: { readonly since: string; readonly now: string },
): Promise<News> {
  const may = (scope: Scope) => grantsScope(scopes, scope);
  const isNew = (at: string | null) => at !== null && at > since && at <= now;
  const boards: Board[] = [];
  for await (const page of readPages(storage, BOARDS)) boards.push(...page);
  const newest = { sort: "new", boards } as const;

  async function countHeld(): Promise<number> {
    if (!may("posts:publish")) return 0;
    const { records } = await listPosts(storage, { ...newest, state: "held" }, { limit: 1, now });
    if (!records.some(({ createdAt }) => isNew(createdAt))) return 0;
    return (await countPosts(storage, { now, isGone: () => false })).held;
  }

  async function countReports(): Promise<number> {
    if (!may("posts:publish") || !may("subscriptions:read")) return 0;
    const reports = await storage.list(REPORTS, { index: "byExpiry", limit: MAX_REPORTS });
    return reports.filter(({ at }) => isNew(at)).length;
  }

  async function readIdeas(): Promise<News["ideas"]> {
    const page = { limit: MAX_IDEAS, now };
    const { records } = await listPosts(storage, { ...newest, state: "public" }, page);
    return records.filter(({ createdAt }) => isNew(createdAt))
      .map(({ title, boardId, postId }) => ({ title, boardId, postId }));
  }

  const options = { hasWorker: true, hasMail: true, labels: undefined, isGone: () => false };
  const [held, reports, ideas, stats] = await Promise.all([
    countHeld(),
    countReports(),
    readIdeas(),
    readStats(storage, { ...options, scopes }, now),
  ]);
  const troubled = stats.deliveries.filter(({ state, problem, startedAt }) =>
    state === "held" || state === "running" && problem !== null && isNew(startedAt)
  );
  return {
    held,
    reports,
    ideas,
    mailings: troubled.map(({ title }) => title),
    webhooks: may("webhooks:write")
      ? stats.webhooks.filter(({ failingSince, disabledAt }) =>
        isNew(failingSince) || isNew(disabledAt)
      ).map(({ host }) => host)
      : [],
  };
}
