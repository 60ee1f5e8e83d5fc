import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import type { Explanation } from "./_explanation.ts";
import { type MailPart, readAddress, readReturned } from "./_mail.ts";
import { classify, findCode, saysUnknown } from "../../model/bounces/status.ts";

// Names and addresses of programs that send reports.
const DAEMON =
  /mailer[-_. ]?daemon|post[-_]?master|mail[-_. ]?(?:delivery|system|admin|notif)|ndr admin|system admin/i;
// https://cr.yp.to/proto/qsbmf.txt
const QMAIL = /^Hi\. This is the\b/;
// Phrases of relays that keep trying.
const DELAYED =
  /\bdelayed\b|warning (?:message )?only|\bstill (?:being )?(?:retr|try|attempt)|will (?:be )?(?:retr|continue|keep|try)|not yet been delivered|temporary failure report|delivery incomplete/i;
const MAX_INSPECTED = 2_000;
const MAX_RECIPIENTS = 100;

/**
 * Reads a report without standard parts. Recognises it by its sender, the addresses in it and the
 * text after them. Returns `undefined` if the mail is not a report.
 */
export function readPlainReport(
  mail: MailPart,
  explanation: Explanation,
  { at, isAutomatic }: { readonly at: string | null; readonly isAutomatic: boolean },
): readonly BounceEvent[] | undefined {
  const { text, copy } = explanation;
  const failed = mail.header("x-failed-recipients").slice(0, MAX_INSPECTED * 10).split(",")
    .map(readAddress).filter((address) => address !== "").slice(0, MAX_RECIPIENTS);
  const isReport = failed.length > 0 || QMAIL.test(text) || DAEMON.test(mail.header("from")) ||
    mail.header("return-path") === "<>" && !isAutomatic;
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
