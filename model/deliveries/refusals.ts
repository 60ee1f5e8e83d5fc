import { saysLimited, saysRelay } from "../bounces/reasons.ts";

/** A relay's reply to a mail that it did not accept. */
export interface RelayReply {
  /** The enhanced status code (RFC 3463), like `5.1.1`; else the reply code, like `550`. */
  readonly code: string;
  /** The reply in one line. */
  readonly text: string;
}

/** The refusal of a mail, as it is compared with others. */
export interface RelayRefusal extends RelayReply {
  /** Code and text without the parts that differ between recipients. */
  readonly words: string;
  /** Whether its words are of the kind that a relay gives to everybody. */
  readonly isOfRelay: boolean;
}

/** A mail that has begun; `reply` is absent while it is awaited. */
export interface BegunMail {
  readonly userEmail: string;
  /** The number of mails and replies before it began. */
  readonly begunAt: number;
  readonly reply?: RelayRefusal | "accepted" | undefined;
  /** The number of mails and replies before its reply. */
  readonly repliedAt?: number | undefined;
}

/**
 * The state of a mail that has begun: its reply is `awaited`, or it was `accepted`. A refusal
 * concerns the `recipient` or was shown to concern the `relay`. Until either is clear, it is
 * `presumed` to concern the recipient or, in words of the relay's kind, `unclear`.
 */
export type Judgement = "awaited" | "accepted" | "recipient" | "relay" | "presumed" | "unclear";

const MIN_OF_RELAY = 3;
const MIN_DOMAINS = 2;
const MIN_SAME = 10;

/**
 * Judges mails in the order in which they began. Refusals concern the relay if three recipients in
 * a row, of two domains, got words of the relay's kind, or ten in a row got the same refusal, and
 * no mail that began after the first of them was accepted. An awaited reply interrupts a row until
 * it comes. A mail that was under way together with an accepted one may have been a moment late.
 */
export function judgeMails(mails: readonly BegunMail[]): readonly Judgement[] {
  const last = mails.findLastIndex(({ reply }) => reply === "accepted");
  const acceptedAt = mails[last]?.begunAt ?? -1;
  const { isOfRelay, isOver } = inspectRows(mails.slice(last + 1));
  return mails.map((mail, index) => {
    const { reply, repliedAt = Infinity } = mail;
    if (reply === undefined) return "awaited";
    if (reply === "accepted") return reply;
    if (repliedAt < acceptedAt) return "recipient";
    if (isOfRelay) return "relay";
    if (index < last) return "presumed";
    if (reply.isOfRelay) return "unclear";
    return isOver.has(mail) ? "recipient" : "presumed";
  });
}

/**
 * Tells of mails, none of which was accepted, whether they show a fault of the relay, and which of
 * them were followed by another refusal.
 */
function inspectRows(
  mails: readonly BegunMail[],
): { readonly isOfRelay: boolean; readonly isOver: ReadonlySet<BegunMail> } {
  const isOver = new Set<BegunMail>();
  let isOfRelay = false;
  let words = "";
  // By recipient, because somebody may be tried several times.
  const same = new Map<string, BegunMail>();
  const domains = new Map<string, string>();
  for (const mail of mails) {
    const { userEmail, reply } = mail;
    if (typeof reply !== "object") {
      same.clear();
      domains.clear();
      continue;
    }
    if (reply.words !== words) {
      for (const earlier of same.values()) isOver.add(earlier);
      same.clear();
    }
    words = reply.words;
    same.set(userEmail, mail);
    if (reply.isOfRelay) domains.set(userEmail, userEmail.slice(userEmail.lastIndexOf("@")));
    isOfRelay ||= same.size >= MIN_SAME ||
      domains.size >= MIN_OF_RELAY && new Set(domains.values()).size >= MIN_DOMAINS;
  }
  return { isOfRelay, isOver };
}

/** Reads a relay's reply to a recipient. */
export function readRefusal(userEmail: string, { code, text }: RelayReply): RelayRefusal {
  const [name, domain] = userEmail.split("@");
  const words = text.toLowerCase().replaceAll(domain, "").replaceAll(name, "")
    .split(/\s+/).filter((word) => !/\d/.test(word)).join(" ");
  return { code, text, words: `${code} ${words}`, isOfRelay: isOfRelay({ code, text }) };
}

// About a mailbox, a full disk or this mail. Exchange uses 5.7.100 to 5.7.199 for restrictions of a
// group.
const CODE_OF_RECIPIENT = /^[45]\.(?:2\.[1-9]|3\.[14]|6\.|7\.1\d\d$)/;
// A relay may quote another server's reply about this recipient.
const OF_RECIPIENT =
  /\bsaid: |callout|gr[ae]y.?list|(?:user|mailbox|recipient|inbox)(?:'?s)? (?:is )?(?:full|over|quota)|over ?quota|quota exceeded \(mailbox|mailbox (?:size|limit|storage)/i;
// Policy, logins and limits (RFC 3463 and its registry), and the sender's address.
const CODE_OF_RELAY =
  /^(?:421|454|530|535|[45]\.7\.\d+|5\.4\.5|4\.3\.2|4\.5\.\d+|[45]\.1\.[78]|[45]\.3\.5)$/;

/**
 * Tells by code and text whether a refusal is one that a relay gives to everybody when it refuses
 * the sender, this client, its login or relaying, or when a limit is reached.
 */
export function isOfRelay({ code, text }: RelayReply): boolean {
  if (OF_RECIPIENT.test(text) || CODE_OF_RECIPIENT.test(code)) return false;
  return CODE_OF_RELAY.test(code) || saysRelay(text);
}

/** Tells whether a refusal names a limit on the number of mails or connections. */
export function isLimit(reply: RelayReply): boolean {
  return isOfRelay(reply) && saysLimited(reply.text);
}
