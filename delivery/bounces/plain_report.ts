import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import type { Explanation } from "./_explanation.ts";
import { type MailPart, readAddress, readReturned } from "./_mail.ts";
import { classify, findCode, saysUnknown } from "../../model/bounces/status.ts";

// Those who write reports: the name or address of the sender, in whatever words the report is.
const DAEMON =
  /mailer[-_. ]?daemon|post[-_]?master|mail[-_. ]?(?:delivery|system|admin|notif)|ndr admin|system admin/i;
// https://cr.yp.to/proto/qsbmf.txt
const QMAIL = /^Hi\. This is the\b/;
// The relay goes on trying.
const DELAYED =
  /\bdelayed\b|warning (?:message )?only|\bstill (?:being )?(?:retr|try|attempt)|will (?:be )?(?:retr|continue|keep|try)|not yet been delivered|temporary failure report|delivery incomplete/i;
const MAX_INSPECTED = 2_000;
const MAX_RECIPIENTS = 100;

/**
 * Reads a report without standard parts, known by its shape: who sent it, the addresses that it names,
 * and what stands behind them. Returns `undefined` if a mail is none.
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
    const said = explanation.saidOf(address, addresses.length === 1);
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

/** Finds whom a mail did not reach: those of whom a failure is told, else the only one who is named. */
function findFailed(mail: MailPart, { addresses, saidOf }: Explanation, to: string): string[] {
  const own = ["to", "from", "return-path", "reply-to"]
    .map((name) => readAddress(mail.header(name)).toLowerCase());
  const others = addresses.filter((address) => !own.includes(address) && !DAEMON.test(address));
  const told = others.filter((address) => isEvidence(saidOf(address, false)));
  if (told.length > 0) return told;
  const known = others.includes(to.toLowerCase()) || others.length === 0
    ? [to]
    : others.slice(0, 1);
  return known.filter((address) => address !== "");
}

function isEvidence(said: string): boolean {
  return findCode(said) !== "" || saysUnknown(said);
}
