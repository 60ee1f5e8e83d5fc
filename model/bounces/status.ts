// The mailbox or the domain does not exist (RFC 3463, section 3.2; RFC 7505).
const NO_MAILBOX = ["5.1.1", "5.1.2", "5.1.10"];
// The mailbox may exist but did not accept the mail: it was full, or system, content or policy
// refused.
const MAILBOX = /^4|^5\.(?:2\.[2-4]|3\.[1-9]|6\.|7\.)/;
// These codes are too general to tell a missing mailbox from another failure, so the text decides.
const VAGUE = /^(?:5\d\d|5\.0\.\d+|5\.1\.[036]|5\.1\.351|5\.2\.[01]|5\.3\.0|5\.4\.4|5\.5\.\d+)?$/;
const ENHANCED = /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const REPLY = /(?:^|[\s;:(])([45]\d\d)(?=[\s-]|$)/;
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
const REFUSED = new RegExp(
  [
    // Content and size.
    "\\bspam|virus|malware|phish|\\bcontent(?!-)|attachment|too (?:large|big)",
    // Blocklists and other reputation of senders, and mailing lists that accept no mail from
    // outsiders.
    "block(?:ed|[- ]?list)|(?:black|white|deny|allow|mailing|distribution)[- ]?list",
    "(?<!not )\\blisted (?:in|on|at|by)|\\brbl\\b|dnsbl|spamhaus|spamcop|reputation|greylist",
    // Policy.
    "\\bpolic|\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|sender|5\\.7\\.\\d|denied|prohibit|relaying|to relay",
    "not (?:permitted|allowed|authori[sz]ed)",
    // Limits.
    "\\bquota|\\bfull\\b|too many|\\blimit|exceed|\\brate\\b|throttl|this hour|(?:per|an) (?:hour|day|minute)",
    "temporar|try again|too (?:fast|quickly|often)",
  ].join("|"),
);
// A program that puts mail into a mailbox failed, or a filter refused the content.
const OF_PROGRAM =
  /procmail|maildrop|(?:couldn|can).t create|command (?:died|line)|(?:after|reply to) end of data/;

/**
 * Finds the enhanced status code in some texts, else the reply code; an empty text if there is
 * none.
 */
export function findCode(...texts: readonly string[]): string {
  const starts = texts.map((text) => text.slice(0, MAX_SAID_LENGTH));
  for (const text of starts) {
    const [code] = ENHANCED.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  for (const text of starts) {
    const [, code] = REPLY.exec(text) ?? [];
    if (code !== undefined) return code;
  }
  return "";
}

/** Tells whether a text says that there is no such mailbox, or no such domain. */
export function saysUnknown(text: string): boolean {
  const said = text.slice(0, MAX_SAID_LENGTH).toLowerCase().replace(/\s+/g, " ");
  return UNKNOWN.some((pattern) => pattern.test(said));
}

/** Tells whether a text gives a reason other than a missing mailbox. */
export function saysRefused(text: string): boolean {
  return REFUSED.test(text.slice(0, MAX_SAID_LENGTH).toLowerCase().replace(/\s+/g, " "));
}

/**
 * Classifies a failure that a report calls permanent: `temporary` if its code implies that the
 * mailbox exists.
 */
export function confirmPermanent(code: string): "permanent" | "temporary" {
  return MAILBOX.test(code) ? "temporary" : "permanent";
}

/**
 * Classifies a failure by its code and text. It is `permanent` only beyond doubt, because some
 * relays answer 5.1.1 to everything.
 */
export function classify(code: string, text: string): "permanent" | "temporary" {
  const said = text.slice(0, MAX_SAID_LENGTH).toLowerCase().replace(/\s+/g, " ");
  const isRefused = REFUSED.test(said);
  if (OF_PROGRAM.test(said)) return "temporary";
  if (NO_MAILBOX.includes(code)) {
    return isRefused && !saysUnknown(said) ? "temporary" : "permanent";
  }
  return VAGUE.test(code) && !isRefused && saysUnknown(said) ? "permanent" : "temporary";
}
