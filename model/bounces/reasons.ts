/**
 * The reasons that relays give, in their own words, for refusing a mail. Replies and reports are
 * read with the same lists.
 *
 * @module
 */

// Relays' replies are shorter; the rest is advice.
const MAX_SAID_LENGTH = 1_000;

const SUBJECT = "(?:user|recipient|mailbox|account|address|addressee|local part)s?";
// Reports in other languages: words for somebody, up to 80 characters, words for missing.
const FOREIGN = [
  [
    "empfänger|adresse|postfach|benutzer|konto",
    "unbekannt|existiert nicht|nicht (?:gefunden|bekannt)",
  ],
  ["utilisateur|destinataire|adresse|bo[iî]te", "inconnue?|introuvable|n.existe pas"],
  ["usuario|destinatario|direcci[oó]n|buz[oó]n|cuenta", "desconocid[oa]|inexistente|no existe"],
  ["usu[aá]rio|destinat[aá]rio|endere[cç]o|conta", "desconhecid[oa]|inexistente|n[aã]o existe"],
  ["utente|destinatario|indirizzo|casella", "sconosciut[oa]|inesistente|non esiste"],
  ["gebruiker|ontvanger|adres|postvak", "onbekend|bestaat niet|niet gevonden"],
  ["użytkownik|odbiorca|adres|skrzynka", "nie istnieje|nieznan[ya]"],
  ["användare|mottagare|adress|brevlåda", "okänd|finns inte|saknas"],
  ["пользовател|получател|адрес|ящик", "не (?:существует|найден|зарегистрирован)|неизвест"],
  [
    "ユーザ|宛先|受信者|アドレス|ディレクトリ",
    "見つかりません|存在しません|(?:リスト|ディレクトリ)にありません",
  ],
  ["用户|用戶|收件人|收件者|邮箱|信箱|地址|帐号|帳號", "不存在|未找到|找不到"],
  ["사용자|수신자|메일함|주소|계정", "존재하지 않|찾을 수 없"],
].map(([somebody, missing]) => `(?:${somebody})(?:[^.:;。]|\\.(?=\\w)){0,80}(?:${missing})`);
const UNKNOWN = [
  `unknown (?:virtual )?(?:local )?(?:${SUBJECT}|in |host|domain)`,
  `(?:no|not a) such (?:${SUBJECT}|person|domain|host)`,
  `invalid (?:${SUBJECT}|domain)`,
  `(?:${SUBJECT})(?: [^.:;,]{1,80})? (?:is |was )?(?:unknown|not found|nonexist|non-exist)`,
  `(?:${SUBJECT})(?: [^.:;,]{1,80})? (?:couldn.t be|could not be|can.t be|cannot be|wasn.t|isn.t) found`,
  `(?:${SUBJECT})(?: [^.:;,]{1,80})? (?:is |are )?not (?:listed|recogni[sz]ed)`,
  `(?:${SUBJECT})(?: [^.:;,]{1,80})? (?:is )?no longer (?:on|in|valid|exists?|with|active|available)`,
  `(?:${SUBJECT}|domain|host)\\b[^.:;]{0,80} (?:does not|doesn.t|not) exist`,
  "user doesn.t have an? ",
  "not listed in (?:the )?(?:public|domino|name|address)",
  "illegal (?:host|domain)",
  "invalid final delivery userid",
  "(?:bad destination|destination mailbox) (?:mailbox address|has moved)",
  "no mailbox here by that name",
  "not our (?:user|customer)",
  "no valid recipients",
  "requested action not taken: mailbox unavailable *(?:$|[([])",
  "unrouteable address",
  "(?:host|domain)s? unknown",
  "(?:host|domain)(?: or domain name| [^ ]{1,255})? not found",
  "(?:recipientnotfound|recipnotfound|nosuchuser)",
  ...FOREIGN,
].map((pattern) => new RegExp(pattern));

const LIMITS = [
  "throttl|rate.?limit|slow(?:ing)? down|too (?:fast|quickly|often|frequent)",
  "\\btoo many (?!errors)",
  "(?:per|an|each|this|last) (?:hour|day|minute|second|month)\\b",
  "(?:hourly|daily|monthly|sending|submission|outbound|relay|connections?|concurren[a-z]{2,6}|messages?|mails?|e-mails?|recipients?|rate|thread) (?:[a-z]{1,20} ){0,3}(?:limit|quota|rate|allowance)",
  "(?:limit|quota|rate|allowance)s? (?:[a-z]{1,20} ){0,3}(?:exceeded|reached|hit|used up)",
  "(?:exceed|reach|hit|over)[a-z]{0,4} (?:[a-z]{1,20} ){0,5}(?:limit|quota|rate|allowance|max)",
  "submissionquota|quotaexceeded",
];
const SENDER_OR_CLIENT = [
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
  "spamhaus|spamcop|barracuda|sorbs|dnsbl|\\brbl\\b|(?:block|black|deny)[ -]?list|(?:blocked|(?<!not )listed) (?:using|by|at|in|on) ",
  "\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|spam abuse detected",
  // The login.
  "authenticat|auth(?:entication|ori[sz]ation)? (?:is )?required|log ?in (?:first|required|denied|failed)|not logged in|credential|starttls",
  "server configuration (?:error|problem)|access denied",
];
const MAIL_OR_MAILBOX = [
  // Content and size.
  "\\bspam|virus|malware|phish|\\bcontent(?!-)|attachment|too (?:large|big)",
  // Reputation, and mailing lists that accept no mail from outsiders.
  "block(?:ed|[- ]?list)|(?:white|allow|mailing|distribution)[- ]?list|reputation|greylist",
  // Policy.
  "\\bpolic|sender|5\\.7\\.\\d|denied|prohibit|relaying|to relay",
  "not (?:permitted|allowed|authori[sz]ed)",
  // Limits of a mailbox.
  "\\bquota|\\bfull\\b|\\blimit|exceed|\\brate\\b|this hour|temporar|try again",
];
// Limits on the size of a mail are no limits of the relay.
const SIZE = /\bsize\b|too (?:large|big)|\blarger? than/;
const LIMITED = new RegExp(LIMITS.join("|"));
const OF_RELAY = new RegExp(SENDER_OR_CLIENT.join("|"));
const OTHER = new RegExp(MAIL_OR_MAILBOX.join("|"));

/** Tells whether a text says that there is no such mailbox, or no such domain. */
export function saysUnknown(text: string): boolean {
  const said = normalize(text);
  return UNKNOWN.some((pattern) => pattern.test(said));
}

/** Tells whether a text names a limit on the number of mails or connections. */
export function saysLimited(text: string): boolean {
  const said = normalize(text);
  return LIMITED.test(said) && !SIZE.test(said);
}

/**
 * Tells whether a text names a reason that would concern any recipient: a limit, the sender, this
 * client, its login, relaying or a blocklist.
 */
export function saysRelay(text: string): boolean {
  return OF_RELAY.test(normalize(text)) || saysLimited(text);
}

/** Tells whether a text gives a reason other than a missing mailbox. */
export function saysOther(text: string): boolean {
  return OTHER.test(normalize(text)) || saysRelay(text);
}

/** Returns the start of a text in one line and in lower case. */
export function normalize(text: string): string {
  return text.slice(0, MAX_SAID_LENGTH).toLowerCase().replace(/\s+/g, " ");
}
