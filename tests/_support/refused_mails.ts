import { assert, assertEquals } from "@std/assert";
import type { Mail } from "../../delivery/mail/mailer.ts";
import { addresses, publishEntry, type Reply, SENT, startMailing } from "./mailing.ts";

/** Sixty people of three domains. */
export const PEOPLE = addresses(60).map((address, i) => address.replace("@", `@${"abc"[i % 3]}.`));

/** Replies to one recipient, of which many could be the relay's to all. */
export const REPLIES: readonly string[] = [
  "refused 5.0.0 no",
  "refused 5.7.1 <…>: Relay access denied",
  "refused 5.1.1 <…>: Recipient address rejected: User unknown",
  "refused 5.1.1 Recipient blocked by your blocklist",
  "deferred 4.7.1 <…>: Recipient address rejected: Try again later",
  "refused 550 Recipient has exceeded their message limit",
  "deferred 421 Service not available",
  "refused 554 Transaction failed",
  "refused 550 Unrouteable address",
  "refused 550 relay not permitted",
  "refused 550 Verification failed for <…>; the address is blacklisted",
  "refused 5.7.1 User x has blocked mail from your address",
  "refused 5.4.1 All recipient addresses rejected : Access denied",
  "deferred 4.5.3 Too many recipients",
];

/** The recipients who are refused, by their index. */
export const REFUSED_PEOPLE: Readonly<Record<string, (index: number) => boolean>> = {
  one: (index) => index === 20,
  some: (index) => index % 6 === 2,
  pairs: (index) => index % 10 < 2,
};

/** Reads a row such as `refused 5.1.1 unknown`. */
export function toReply(row: string): Reply {
  const [state, code, ...words] = row.split(" ");
  return { state: state as "refused", code, text: words.join(" ") };
}

/** The pace of a relay and of the mails. */
export interface Pace {
  /** The rate of mails per second; 0 for no limit. */
  readonly rate: number;
  /** The time that the relay takes to accept a mail; it refuses at once. */
  readonly answerMs: number;
  /** The number of mails that the relay takes at the same time; default: any. */
  readonly connections?: number;
}

/** Mails everybody, of whom some are refused; checks that nobody else is held up. */
export async function mailAround(
  row: string,
  { isRefused, rate, answerMs, connections = Infinity }: Pace & {
    readonly isRefused: (index: number) => boolean;
  },
): Promise<void> {
  const refused = PEOPLE.filter((_, index) => isRefused(index));
  const others = PEOPLE.filter((to) => !refused.includes(to));
  let open = 0;
  const relay = async ({ to }: Pick<Mail, "to">): Promise<Reply> => {
    if (open >= connections) return "down";
    if (refused.includes(to)) return toReply(row);
    open++;
    await mailing.clock.sleep(answerMs, new AbortController().signal);
    open--;
    return SENT;
  };
  const mailRatePerSecond = rate === 0 ? false : rate;
  const mailing = await startMailing({ subscribers: PEOPLE, relay, mailRatePerSecond });
  await using _ = mailing;
  await publishEntry(mailing.service, "a");
  const limitMs = (rate === 0 ? 0 : PEOPLE.length / rate * 1_000) +
    PEOPLE.length / connections * answerMs + answerMs + 8_000;
  const endMs = mailing.clock.now() + limitMs;
  while (mailing.sent.length < others.length && mailing.clock.now() < endMs) {
    await mailing.clock.tick(100);
  }
  // A second mail to somebody would come soon after the first.
  for (let i = 0; i < 80; i++) await mailing.clock.tick(100);
  assertEquals(mailing.recipients, others);
  const { failed, deferred, sent } = await mailing.delivery("a");
  const isForNow = row.startsWith("deferred");
  const expected = isForNow ? [0, refused.length] : [refused.length, 0];
  assertEquals([sent, failed, deferred], [others.length, ...expected]);
  await assertNobodyOut(mailing);
}

/** Mails everybody through a relay that refuses all after twelve mails until it is repaired. */
export async function mailThroughBreakdown(row: string, answerMs: number): Promise<void> {
  let isFaulty = true;
  let taken = 0;
  const relay = async (): Promise<Reply> => {
    if (isFaulty && ++taken > 12) return toReply(row);
    await mailing.clock.sleep(answerMs, new AbortController().signal);
    return SENT;
  };
  const mailing = await startMailing({ subscribers: PEOPLE, relay, mailRatePerSecond: 10 });
  await using _ = mailing;
  for (const entryId of ["a", "b"]) await publishEntry(mailing.service, entryId);
  for (let i = 0; i < 80; i++) await mailing.clock.tick(100);
  for (let i = 0; i < 60; i++) await mailing.clock.tick(1_000);
  const { failed, problem } = await mailing.delivery("a");
  assertEquals(failed, 0);
  assert(problem !== null);
  isFaulty = false;
  for (let i = 0; i < 300; i++) await mailing.clock.tick(250);
  for (let i = 0; i < 60; i++) await mailing.clock.tick(10_000);
  for (const entryId of ["a", "b"]) assertEquals(await mailing.counts(entryId), "done 60 0 0");
  assertEquals(mailing.recipients, PEOPLE.flatMap((to) => [to, to]).sort());
  await assertNobodyOut(mailing);
}

async function assertNobodyOut(
  { service }: Awaited<ReturnType<typeof startMailing>>,
): Promise<void> {
  const path = "changelogs/subscribers?subscribed=false";
  assertEquals((await service.call<{ data: unknown[] }>("GET", path)).data, []);
}
