/** A relay's reply to a mail that it did not accept. */
export interface RelayReply {
  /** The enhanced status code (RFC 3463), like `5.1.1`; else the reply code, like `550`. */
  readonly code: string;
  /** The reply in one line. */
  readonly text: string;
}

/**
 * The reason why a relay currently accepts mail for nobody: it refuses the sender, the client or
 * relaying (`refused`), or a limit was reached (`throttled`).
 */
export type RelayFault = "refused" | "throttled";

// A relay may quote another server's reply about this recipient.
const OF_RECIPIENT =
  /\bsaid: |callout|gr[ae]y.?list|(?:user|mailbox|recipient|inbox)(?:'?s)? (?:is )?(?:full|over|quota)|over ?quota|quota exceeded \(mailbox|mailbox (?:size|limit|storage)/;
// About a mailbox, a full disk or this mail. Exchange uses 5.7.100 to 5.7.199 for restrictions of a
// group.
const CODE_OF_RECIPIENT = /^[45]\.(?:2\.[1-9]|3\.[14]|6\.|7\.1\d\d$)/;
const SIZE = /\bsize\b|too (?:large|big)|\blarger? than/;

const LIMIT_CODE = /^(?:421|454|4\.3\.2|5\.4\.5|4\.5\.\d+|4\.7\.\d+)$/;
const LIMIT_WORDS = [
  "throttl|rate.?limit|slow(?:ing)? down|too (?:fast|quickly|often|frequent)",
  "\\btoo many (?!errors)",
  "(?:per|an|each|this|last) (?:hour|day|minute|second|month)\\b",
  "(?:hourly|daily|monthly|sending|submission|outbound|relay|connections?|concurren[a-z]{2,6}|messages?|mails?|e-mails?|recipients?|rate|thread) (?:[a-z]{1,20} ){0,3}(?:limit|quota|rate|allowance)",
  "(?:limit|quota|rate|allowance)s? (?:[a-z]{1,20} ){0,3}(?:exceeded|reached|hit|used up)",
  "(?:exceed|reach|hit|over)[a-z]{0,4} (?:[a-z]{1,20} ){0,5}(?:limit|quota|rate|allowance|max)",
  "submissionquota|quotaexceeded",
];
// About the sender's address, logins, SPF, DKIM, reverse DNS (RFC 3463 and its registry), and
// Exchange's codes for senders and tenants.
const REFUSED_CODE =
  /^(?:530|535|[45]\.1\.[78]|[45]\.3\.5|[45]\.7\.(?:3|8|9|11|14|2\d|30|5[47]|6[04]|[2-9]\d\d))$/;
const REFUSED_WORDS = [
  // Relaying.
  "\\brelay(?:ing)?(?: access)?(?: is| was)? (?:not|denied|refused|prohibited|disabled|disallowed|forbidden|rejected)",
  "(?:not|n.t|cannot|unable|refuse[sd]?|unwilling|permi(?:t|ssion)|authori[sz]ed|allowed|denied) (?:[a-z]{1,20} ){0,4}relay",
  "\\bno relay|relaying denied|open relay|rcpthosts|tenantattribution",
  // The sender.
  "sender (?:address|domain|verif|host|is |was |not |rejected|denied|refused|unknown|invalid|blocked)",
  "(?:unverified|invalid|unknown|bad|forged|unauthori[sz]ed) (?:sender|from|return)",
  "(?:verify|verified|validate) (?:the |your )?sender|domain of (?:the )?sender",
  "(?:from|sender|return|envelope|bounce).?(?:address|header|domain|path)\\b(?! of)",
  "\\bmail from\\b|\\bsend as\\b|as this sender|not owned by|identit(?:y|ies) failed|address is not verified",
  "(?:not|n.t|cannot) (?:be )?(?:allowed|permitted|authori[sz]ed|entitled) to (?:use|send)(?! (?:[a-z]{1,20} ){0,2}to\\b)",
  "sending (?:is |has been |was )?(?:paused|disabled|suspended|blocked|denied|not)",
  // The client.
  "client (?:host|ip|address|does not|was not|not|is not|network)|\\bhelo\\b|\\behlo\\b",
  "reverse (?:dns|host|lookup|name)|\\brdns\\b|\\bptr\\b|\\bfcrdns\\b",
  "your (?:ip|host|server|domain|account|network|mail server|tenant|organi[sz]ation|company)\\b",
  "(?:sending|banned|blocked) ip\\b|\\bip (?:address )?(?:\\S{1,45} )?(?:is |was )?(?:blocked|banned|listed|not allowed|rejected)",
  "spamhaus|spamcop|barracuda|sorbs|dnsbl|\\brbl\\b|(?:block|black|deny)[ -]?list|(?:blocked|listed) (?:using|by|at|in|on) ",
  "\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|spam abuse detected",
  // The login.
  "authenticat|auth(?:entication|ori[sz]ation)? (?:is )?required|log ?in (?:first|required|denied|failed)|not logged in|credential|starttls",
  "server configuration (?:error|problem)|access denied",
];
// Restrictions on a recipient, worded like refusals of a sender.
const RESTRICTED =
  /recipient address rejected: (?:access denied|not authori[sz]ed|.{0,40}\b(?:blocked|restricted))|(?:to|of|for) (?:this|the|that) (?:group|list|recipient|mailbox|user)\b/;

const LIMITED = new RegExp(LIMIT_WORDS.join("|"));
const REFUSED = new RegExp(REFUSED_WORDS.join("|"));

/**
 * Finds the reason, by code and text, why a relay would refuse mail to everybody; `undefined` if
 * the reply concerns this recipient or is unclear.
 */
export function findRelayFault({ code, text }: RelayReply): RelayFault | undefined {
  const said = text.toLowerCase().replace(/\s+/g, " ");
  if (OF_RECIPIENT.test(said) || CODE_OF_RECIPIENT.test(code)) return undefined;
  if (REFUSED_CODE.test(code)) return "refused";
  if (REFUSED.test(said) && !RESTRICTED.test(said)) return "refused";
  const isLimited = LIMIT_CODE.test(code) || LIMITED.test(said) && !SIZE.test(said);
  return isLimited ? "throttled" : undefined;
}
