import type { SERVERS } from "./reports.ts";

/** A report: the server that writes it, its status, and what was said. */
export type ReportRow = readonly [server: keyof typeof SERVERS, status: string, diagnostic: string];

/** Replies of relays for a missing mailbox or domain. */
export const PERMANENT = readRows(String.raw`
postfix | 5.1.1 | smtp; 550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table
postfix | 5.1.1 | x-unix; unknown user: "ann"
postfix | 5.1.1 | smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos
postfix | 5.1.10 | X-Postfix; Domain example.com does not accept mail (nullMX)
postfix | 5.4.4 | X-Postfix; Host or domain name not found. Name service error for name=example.com type=AAAA: Host not found
postfix | 5.1.2 | smtp; 550 5.1.2 <ann@example.com>: Recipient address rejected: Domain not found
postfix | 5.0.0 | smtp; 550 No such user here
postfix | 5.0.0 | smtp; 550 <ann@example.com>: Recipient address rejected: User unknown
postfix | 5.5.0 | smtp; 550 5.5.0 Requested action not taken: no such user
postfix | 5.1.1 | smtp; 550 5.1.1 sorry, no mailbox here by that name. (#5.1.1 - chkuser)
postfix | 5.1.1 | smtp; 550 5.1.1 unknown or illegal alias: ann@example.com
postfix | 5.0.0 | smtp; 554 delivery error: dd This user doesn't have an example.com account (ann@example.com)
exim | 5.0.0 | smtp; 550 No Such User Here
exim | 5.0.0 | smtp; 550 Unrouteable address
exim | 5.0.0 | smtp; 550-5.1.1 The email account that you tried to reach does not exist
exim | 5.1.1 | smtp; 550 5.1.1 <ann@example.com> User doesn't exist: ann@example.com
exim | 5.0.0 | smtp; 550 Unknown user: ann@example.com
exim | 5.0.0 | smtp; 550 Mailbox not found
oldExim | - | host mx.example.com [192.0.2.1]: 550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown
oldExim | - | Unrouteable address
oldExim | - | SMTP error from remote mail server after RCPT TO:<ann@example.com>:\n    host mx.example.com [192.0.2.1]: 550 No such user
exchange | 5.1.10 | smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ann@example.com not found by SMTP address lookup
exchange | 5.1.1 | smtp;550 5.1.1 RESOLVER.ADR.RecipNotFound; not found
exchange | 5.1.351 | smtp;550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 5.1.1 User unknown
exchange | 5.4.4 | smtp;550 5.4.4 Invalid domain name
gmail | 5.1.1 | smtp; 550-5.1.1 The email account that you tried to reach does not exist.
gmail | 5.1.1 | smtp; 550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in relay recipient table
gmail | 5.1.2 | smtp; 550 5.1.2 The domain name was not found
sendmail | 5.1.1 | SMTP; 550 5.1.1 <ann@example.com>... User unknown
sendmail | 5.1.2 | SMTP; 550 Host unknown
sendmail | 5.1.1 | SMTP; 550 unknown user <ann@example.com>
qmail | - | Sorry, no mailbox here by that name. (#5.1.1)
qmail | - | 192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 <ann@example.com>: User unknown\nGiving up on 192.0.2.1.
qmail | - | Sorry, I couldn't find any host named example.com. (#5.1.2)
openSmtpd | 5.0.0 | 550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown
openSmtpd | 5.1.1 | 550 Invalid recipient: <ann@example.com>
oldOpenSmtpd | - | 550 5.1.1 <ann@example.com>... User Unknown
oldOpenSmtpd | - | 550 no such user
oldOpenSmtpd | - | Invalid domain
dma | - | 550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown
dma | - | DNS lookup failure: host example.com not found
dma | - | 550 5.1.6 <ann@example.com>: Destination mailbox has moved, no forwarding address
v5Sendmail | - | 550 User unknown
v5Sendmail | - | 550 Host unknown (Authoritative answer from name server)
v5Sendmail | - | 550 No such user here
german | - | SMTP:RCPT host 192.0.2.1: 553 5.3.0 <ann@example.com>... No such user here
german | - | 550 5.1.1 unknown
german | - | 550 Mailbox not found
workMail | 5.1.1 | smtp; 550 5.1.1 <ann@example.com>... User Unknown
workMail | 5.0.0 | smtp; 550 unknown user
workMail | 5.1.2 | smtp; 550 5.1.2 Host unknown
exchange5 | - | The recipient name is not recognized
exchange5 | - | User A. Lee (ann@example.com) not listed in Domino Directory
exchange5 | - | Unknown Recipient
exchange | 5.0.0 | Die E-Mail-Adresse des Empfängers wurde im System nicht gefunden
exim | 5.0.0 | smtp; 550 Benutzer ann@example.com ist hier unbekannt
postfix | 5.0.0 | smtp; 550 Utilisateur inconnu
exim | 5.0.0 | smtp; 550 L'adresse ann@example.com n'existe pas
postfix | 5.0.0 | smtp; 550 La cuenta ann@example.com no existe
exim | 5.0.0 | smtp; 550 Usuario desconocido
postfix | 5.0.0 | smtp; 550 O destinatário não existe
postfix | 5.0.0 | smtp; 550 Casella inesistente
exim | 5.0.0 | smtp; 550 Gebruiker onbekend
postfix | 5.0.0 | smtp; 550 Skrzynka nie istnieje
postfix | 5.0.0 | smtp; 550 Mottagaren finns inte
exim | 5.0.0 | smtp; 550 Пользователь ann не найден
postfix | 5.0.0 | smtp; 550 Такой почтовый ящик не существует
exchange | 5.0.0 | ユーザー Ann は ディレクトリには見つかりません。
exchange | 5.0.0 | 宛先のアドレスは存在しません
postfix | 5.0.0 | smtp; 550 收件人不存在
exim | 5.0.0 | smtp; 550 사용자가 존재하지 않습니다
`);

/** Replies of relays for other reasons, even if they sound like the ones above. */
export const OTHERS = readRows(String.raw`
postfix | 5.2.2 | smtp; 552 5.2.2 <ann@example.com>: user is over quota
postfix | 4.2.2 | smtp; 452 4.2.2 The email account that you tried to reach is over quota
postfix | 5.7.1 | smtp; 554 5.7.1 <ann@example.com>: Recipient address rejected: Access denied
postfix | 5.7.1 | smtp; 554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example.org
postfix | 5.6.0 | smtp; 550 5.6.0 Message content rejected
postfix | 5.3.4 | smtp; 552 5.3.4 Message size exceeds fixed limit
postfix | 4.4.1 | X-Postfix; connect to mx.example.com[192.0.2.1]:25: Connection timed out
postfix | 4.7.1 | smtp; 450 4.7.1 <ann@example.com>: Recipient address rejected: Greylisted
postfix | 4.1.1 | smtp; 450 4.1.1 <ann@example.com>: Recipient address rejected: User unknown in local recipient table
postfix | 5.1.8 | smtp; 553 5.1.8 <bounces@acme.example>: Sender address rejected: Domain not found
postfix | 5.0.0 | smtp; 550 Sender verify failed: no such user bounces@acme.example
postfix | 5.0.0 | smtp; 554 Message refused as spam
postfix | 5.2.1 | smtp; 550 5.2.1 The email account that you tried to reach is disabled
postfix | 5.4.6 | X-Postfix; mail for example.com loops back to myself
postfix | 4.4.3 | X-Postfix; Host or domain name not found. Name service error for name=mx.example.com type=A: Host not found, try again
exim | 5.0.0 | smtp; 550 Bad SPF records for [acme.example:192.0.2.2]
exim | 5.0.0 | smtp; 552 Mailbox full
exim | 5.0.0 | smtp; 554 5.7.1 Relay access denied
exim | 5.0.0 | retry timeout exceeded
oldExim | - | mailbox is full: retry timeout exceeded
oldExim | - | SMTP error from remote mail server after end of data: 554 Transaction failed, looks like spam
exchange | 5.2.2 | smtp;554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException
exchange | 5.7.1 | smtp;550 5.7.1 RESOLVER.RST.AuthRequired; authentication required
exchange | 5.4.1 | smtp;550 5.4.1 Recipient address rejected: Access denied. AS(201806281)
exchange | 5.7.708 | smtp;550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP
gmail | 5.7.26 | smtp; 550-5.7.26 This mail has been blocked because the sender is unauthenticated.
gmail | 4.2.1 | smtp; 450-4.2.1 The user you are trying to contact is receiving mail too quickly.
gmail | 5.2.2 | smtp; 552-5.2.2 The recipient's inbox is out of storage space.
sendmail | 5.1.1 | SMTP; 550 5.7.1 Message rejected as spam by content filtering
sendmail | 5.2.2 | SMTP; 552 5.2.2 Over quota
sendmail | 4.4.7 | SMTP; 450 4.4.7 Could not send message for past 5 days
qmail | - | User is over the quota. You can try again later. (#5.2.2)
qmail | - | I'm not going to try again; this message has been in the queue too long. (#4.4.1)
openSmtpd | 5.0.0 | 552 5.2.2 <ann@example.com>: Mailbox full
openSmtpd | 4.4.7 | Message expired after 4 days
oldOpenSmtpd | - | 552 5.2.2 <ann@example.com>... Mailbox full
dma | - | 550 5.7.1 Message refused by policy
v5Sendmail | - | 554 Message looks like spam
german | - | 550 5.7.26 This mail is unauthenticated
workMail | 5.2.2 | smtp; 552 5.2.2 <ann@example.com>... Mailbox Full
exchange5 | - | The message is too large for the recipient
# 5.1.1, whatever the matter is.
postfix | 5.1.1 | smtp; 550 5.1.1 <ann@example.com> has sent to too many recipients this hour
postfix | 5.1.1 | smtp; 550 5.1.1 Sending rate limit exceeded, slow down
exim | 5.1.1 | smtp; 550 5.1.1 192.0.2.1 is listed in bl.example.org
gmail | 5.1.1 | smtp; 550 5.1.1 Your host is on our blocklist
sendmail | 5.1.1 | SMTP; 550 5.1.1 Message content rejected
sendmail | 5.1.1 | SMTP; 550 5.1.1 An attachment of this type is prohibited
qmail | - | Remote host said: 550 5.1.1 Refused by local policy
# What a program or a filter says once it has the mail.
postfix | 5.1.1 | x-unix; procmail: Couldn't create a file: No such user
postfix | 5.0.0 | smtp; 550 : User unknown (in reply to end of DATA command)
exim | 5.0.0 | SMTP error from remote mail server after end of data: 550 : User unknown
exim | 5.0.0 | smtp; 550 Das Postfach des Benutzers ist voll
postfix | 5.0.0 | smtp; 550 La boîte du destinataire est pleine
postfix | 5.0.0 | smtp; 550 El buzón del usuario está lleno
exchange | 5.0.0 | ユーザーのメールボックスに空きがありません
postfix | 5.0.0 | smtp; 550 邮箱空间不足
exim | 5.0.0 | smtp; 550 Почтовый ящик переполнен
exim | 5.7.1 | smtp; 550 5.7.1 Benutzer unbekannt
`);

/**
 * Reads a row a line: the server, the status (`-`: none) and what was said; `#` begins a comment.
 */
function readRows(text: string): readonly ReportRow[] {
  return text.trim().split("\n").filter((line) => !line.startsWith("#")).map((line) => {
    const [server, status, diagnostic] = line.split(" | ");
    const said = diagnostic.replaceAll("\\n", "\n");
    return [server as keyof typeof SERVERS, status === "-" ? "" : status, said];
  });
}
