import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import type { Explanation } from "./_explanation.ts";
import { type MailPart, readAddress, readReturned } from "./_mail.ts";
import { saysUnknown } from "../../model/bounces/reasons.ts";
import { classify, findCode } from "../../model/bounces/status.ts";

// Names and addresses of programs that send reports.
const DAEMON =
  /mailer[-_. ]?daemon|post[-_]?master|mail[-_. ]?(?:delivery|system|admin|notif)|ndr admin|system admin/i;
// Header fields that only relays write, unlike those with which people quote a mail.
const RELAYED = /^(?:Received|Return-Path|Message-ID|DKIM-Signature):/im;
// Phrases of relays that keep trying.
const DELAYED =
  /\bdelayed\b|warning (?:message )?only|\bstill (?:being )?(?:retr|try|attempt)|will (?:be )?(?:retr|continue|keep|try)|not yet been delivered|temporary failure report|delivery incomplete/i;
const MAX_INSPECTED = 2_000;
const MAX_RECIPIENTS = 100;

/** Tells whether a mail names a program that sends reports as its sender. */
export function isFromDaemon(mail: MailPart): boolean {
  return DAEMON.test(mail.header("from"));
}

/**
 * Reads a report without standard parts. Recognises it by a header field or the mail that it
 * returns, because anybody may write the words of a report. Returns `undefined` if the mail is not
 * a report.
 */
export function readPlainReport(
  mail: MailPart,
  explanation: Explanation,
  { at, part }: { readonly at: string | null; readonly part: MailPart | undefined },
): readonly BounceEvent[] | undefined {
  const { text, copy } = explanation;
  const failed = mail.header("x-failed-recipients").slice(0, MAX_INSPECTED * 10).split(",")
    .map(readAddress).filter((address) => address !== "").slice(0, MAX_RECIPIENTS);
  const isReport = failed.length > 0 || part !== undefined || RELAYED.test(copy);
  if (!isReport) return undefined;
  const returned = readReturned(copy);
  const to = readAddress(returned("to"));
  const addresses = failed.length > 0 ? failed : findFailed(mail, explanation, to);
  if (addresses.length === 0) return undefined;
  const start = `${mail.header("subject")}\n${text}`.slice(0, MAX_INSPECTED);
  const isDelayed = failed.length === 0 && DELAYED.test(start);
  return addresses.map((address) => {
    const said = explanation.reasonFor(address, addresses.length === 1);
    const code = findCode(said);
    const type = classify(code, said);
    const isKept = isDelayed && type === "temporary";
    return {
      messageId: returned("message-id"),
      address,
      type: isKept ? "other" : type,
      at,
      code,
      text: said,
    };
  });
}

/**
 * Finds the addresses that a mail did not reach: those with a failure after them, else the returned
 * mail's recipient, else the first address.
 */
function findFailed(mail: MailPart, { addresses, reasonFor }: Explanation, to: string): string[] {
  const own = ["to", "from", "return-path", "reply-to"]
    .map((name) => readAddress(mail.header(name)).toLowerCase());
  const others = addresses.filter((address) => !own.includes(address) && !DAEMON.test(address));
  const explained = others.filter((address) => isEvidence(reasonFor(address, false)));
  if (explained.length > 0) return explained;
  const known = others.includes(to.toLowerCase()) || others.length === 0
    ? [to]
    : others.slice(0, 1);
  return known.filter((address) => address !== "");
}

function isEvidence(said: string): boolean {
  return findCode(said) !== "" || saysUnknown(said);
}
