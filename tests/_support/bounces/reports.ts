/**
 * Reports as mail servers write them about a mail to Ann: their forms after mails of Postfix 3.7,
 * and after those that https://github.com/sisimai/set-of-emails collects (BSD 2-Clause), written
 * anew.
 */

/** The machine-readable fields of a report. */
export interface ReportFields {
  readonly status: string;
  /** The type and text of `Diagnostic-Code`; absent: there is none. */
  readonly diagnostic?: string;
  readonly action?: string;
  readonly recipient?: string;
  /** The text for people. */
  readonly text?: string;
}

/** Writes a report in the form of a mail server. */
export type WriteReport = (fields: ReportFields) => string;

/** The head of the mail that is reported, as far as it matters. */
const RETURNED = [
  "From: Acme <news@acme.example>",
  "To: ann@example.com",
  "Subject: About a",
  "Message-ID: <abc@acme.example>",
  "List-Unsubscribe: <https://example.com/unsubscribe/none>",
].join("\n");
const DATE = "Wed, 25 Nov 2026 10:30:00 +0100";

/** Writes a multipart with a boundary; each part is its fields, an empty line and its content. */
function multipart(boundary: string, parts: readonly string[]): string {
  return `${parts.map((part) => `--${boundary}\n${part}`).join("\n")}\n--${boundary}--\n`;
}

/** Writes the per-recipient fields in their usual order. */
function recipientFields(
  { status, diagnostic, action = "failed", recipient = "ann@example.com" }: ReportFields,
) {
  return [
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    ...(diagnostic === undefined ? [] : [`Diagnostic-Code: ${diagnostic}`]),
  ].join("\n");
}

const postfix: WriteReport = (fields) => {
  const { recipient = "ann@example.com", diagnostic = "" } = fields;
  const boundary = "9C2F5A0B.1795599000/mx.acme.example";
  const said = diagnostic.replace(/^[\w-]+; /, "").replace(/(.{1,60})(?: |$)/g, "    $1\n");
  return `Received: by mx.acme.example (Postfix)
\tid 77A1B; Wed, 25 Nov 2026 10:30:00 +0100 (CET)
Date: ${DATE} (CET)
From: MAILER-DAEMON@mx.acme.example (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: bounces@acme.example
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="${boundary}"
Content-Transfer-Encoding: 8bit

This is a MIME-encapsulated message.

` + multipart(boundary, [
    `Content-Description: Notification\nContent-Type: text/plain; charset=utf-8\n\n` +
    `This is the mail system at host mx.acme.example.\n\n<${recipient}>: host mx.example.com said:\n${said}`,
    `Content-Description: Delivery report\nContent-Type: message/delivery-status\n
Reporting-MTA: dns; mx.acme.example
X-Postfix-Queue-ID: 9C2F5A0B
X-Postfix-Sender: rfc822; bounces@acme.example
Arrival-Date: ${DATE} (CET)

Final-Recipient: rfc822; ${recipient}
Original-Recipient: rfc822;${recipient}
${recipientFields(fields).split("\n").slice(1).join("\n").replace(/(.{70}\S*) /g, "$1\n    ")}
Remote-MTA: dns; mx.example.com
`,
    `Content-Description: Undelivered Message Headers\nContent-Type: text/rfc822-headers\n\n${RETURNED}\n`,
  ]);
};

const exim: WriteReport = (fields) => {
  const { recipient = "ann@example.com", diagnostic = "" } = fields;
  const boundary = "1764063000-eximdsn-1804289383";
  return `X-Failed-Recipients: ${recipient}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.acme.example>
To: bounces@acme.example
References: <abc@acme.example>
Content-Type: multipart/report; report-type=delivery-status; boundary=${boundary}
MIME-Version: 1.0
Subject: Mail delivery failed: returning message to sender
Date: ${DATE}

` + multipart(boundary, [
    `Content-type: text/plain; charset=us-ascii\n
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${recipient}
    ${diagnostic.replace(/^smtp; /, "")}
`,
    // The address comes after what is done, and the type has no space behind it.
    `Content-type: message/delivery-status\n
Reporting-MTA: dns; mx.acme.example

Action: ${fields.action ?? "failed"}
Final-Recipient: rfc822;${recipient}
Status: ${fields.status}
Remote-MTA: dns; mx.example.com${diagnostic === "" ? "" : `\nDiagnostic-Code: ${diagnostic}`}
`,
    `Content-type: message/rfc822\n\nReturn-path: <bounces@acme.example>\n${RETURNED}\n\nHello\n`,
  ]);
};

/** Without standard parts, as Exim wrote before 4.85 and some hosts have it write still. */
const oldExim: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  `X-Failed-Recipients: ${recipient}
From: Mail Delivery System <Mailer-Daemon@mx.acme.example>
To: bounces@acme.example
Subject: Mail delivery failed: returning message to sender
Date: ${DATE}

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${recipient}
    ${diagnostic}

------ This is a copy of the message, including all the headers. ------

${RETURNED}
`;

/** With CRLF, nested parts and a part in base64, as Exchange Online writes. */
const exchange: WriteReport = (fields) => {
  const outer = "c7a4e1d2-0000-4d5b-9a77-1f0c";
  const inner = "_002_inner_";
  const text = btoa(
    "Delivery has failed to these recipients or groups:\r\n\r\nann@example.com\r\n",
  );
  return `From: "Microsoft Outlook" <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>
To: <bounces@acme.example>
Date: Wed, 25 Nov 2026 09:30:00 +0000
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="${outer}"
X-MS-Exchange-Message-Is-Ndr:
Content-Language: en-US
Subject: Undeliverable: About a
Auto-Submitted: auto-replied
MIME-Version: 1.0

${
    multipart(outer, [
      `Content-Type: multipart/alternative; differences=Content-Type;\n\tboundary="${inner}"\n\n` +
      multipart(inner, [
        `Content-Type: text/plain; charset="utf-8"\nContent-Transfer-Encoding: base64\n\n${text}`,
        `Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<p>ann=40example.com</p>`,
      ]),
      `Content-Type: message/delivery-status\n\nReporting-MTA: dns;AM0PR01.prod.outlook.com
Received-From-MTA: dns;AM0PR02.prod.outlook.com
Arrival-Date: Wed, 25 Nov 2026 09:30:00 +0000

${recipientFields(fields).replace("rfc822; ", "rfc822;")}
X-Display-Name: ann@example.com
`,
      `Content-Type: message/rfc822\n\n${RETURNED}\n\nHello\n`,
    ])
  }`.replaceAll("\n", "\r\n");
};

/** With a tree of parts, and the report among the last, as Gmail writes. */
const gmail: WriteReport = (fields) => {
  const { diagnostic = "", recipient = "ann@example.com" } = fields;
  const boundary = "000000000000c1a1b10600aa0001";
  const related = multipart("0000related", [
    `Content-Type: multipart/alternative; boundary="0000alt"\n\n` + multipart("0000alt", [
      `Content-Type: text/plain; charset="UTF-8"\n\n
** Address not found **

Your message wasn't delivered to ${recipient} because the address couldn't be found.

The response was:
${diagnostic.replace(/^smtp; /, "")}
`,
      `Content-Type: text/html; charset="UTF-8"\n\n<p>Your message wasn't delivered</p>`,
    ]),
    "Content-Type: image/png; name=icon.png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=",
  ]);
  return `Delivered-To: bounces@acme.example
Content-Type: multipart/report; boundary="${boundary}"; report-type=delivery-status
To: bounces@acme.example
From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
X-Failed-Recipients: ${recipient}
Date: Wed, 25 Nov 2026 01:30:00 -0800 (PST)

` + multipart(boundary, [
    `Content-Type: multipart/related; boundary="0000related"\n\n${related}`,
    `Content-Type: message/delivery-status\n
Reporting-MTA: dns; googlemail.com
Arrival-Date: Wed, 25 Nov 2026 01:30:00 -0800 (PST)
X-Original-Message-ID: <abc@acme.example>

${recipientFields(fields)}
Last-Attempt-Date: Wed, 25 Nov 2026 01:30:00 -0800 (PST)
`,
    `Content-Type: message/rfc822\n\n${RETURNED}\n\nHello\n`,
  ]);
};

const sendmail: WriteReport = (fields) => {
  const boundary = "4AP9U0Yc.1795599000/mx.acme.example";
  return `From MAILER-DAEMON Wed Nov 25 10:30:00 2026
Date: ${DATE}
From: Mail Delivery Subsystem <MAILER-DAEMON@mx.acme.example>
To: <bounces@acme.example>
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="${boundary}"
Subject: Returned mail: see transcript for details
Auto-Submitted: auto-generated (failure)

This is a MIME-encapsulated message

--${boundary}

   ----- The following addresses had permanent fatal errors -----
<ann@example.com>
    (reason: ${fields.diagnostic})

` + multipart(boundary, [
    `Content-Type: message/delivery-status\n
Reporting-MTA: dns; mx.acme.example
Received-From-MTA: DNS; app.acme.example
Arrival-Date: ${DATE}

${recipientFields(fields).replace("rfc822; ", "RFC822; ")}
Last-Attempt-Date: ${DATE}
`,
    `Content-Type: text/rfc822-headers\n\n${RETURNED}\n`,
  ]);
};

/** https://cr.yp.to/proto/qsbmf.txt */
const qmail: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  `Received: (qmail 20213 invoked for bounce); 25 Nov 2026 09:30:00 -0000
Date: 25 Nov 2026 09:30:00 -0000
From: MAILER-DAEMON@mx.acme.example
To: bounces@acme.example
Subject: failure notice

Hi. This is the qmail-send program at mx.acme.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${recipient}>:
${diagnostic}

--- Below this line is a copy of the message.

Return-Path: <bounces@acme.example>
${RETURNED}

Hello
`;

/** With no `Diagnostic-Code`: what was said stands only in the text for people. */
const openSmtpd: WriteReport = (fields) => {
  const { recipient = "ann@example.com", diagnostic = "" } = fields;
  return `Subject: Delivery status notification: error
From: Mailer Daemon <MAILER-DAEMON@mx.acme.example>
To: bounces@acme.example
Date: ${DATE}
MIME-Version: 1.0
Content-Type: multipart/mixed;boundary="17955990/mx.acme.example"

` + multipart("17955990/mx.acme.example", [
    `Content-Description: Notification\nContent-Type: text/plain; charset=us-ascii\n
    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this email.

${recipient}: ${diagnostic}

    Below is a copy of the original message:
`,
    `Content-Description: Delivery Report\nContent-Type: message/delivery-status\n
Reporting-MTA: dns; mx.acme.example

Final-Recipient: rfc822; ${recipient}
Action: failed
Status: ${fields.status}
`,
    `Content-Description: Message headers\nContent-Type: text/rfc822-headers\n\n${RETURNED}\n`,
  ]);
};

/** Writes the head of a report, whose body follows. */
function head(subject: string, from = "MAILER-DAEMON@mx.acme.example"): string {
  return `From: ${from}\nTo: bounces@acme.example\nSubject: ${subject}\nDate: ${DATE}\n`;
}

/** Without standard parts, as OpenSMTPD wrote before 6.6. */
const oldOpenSmtpd: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  head("Delivery status notification: error", "Mailer Daemon <MAILER-DAEMON@mx.acme.example>") + `
    Hi!

    This is the MAILER-DAEMON, please DO NOT REPLY to this e-mail.

    An error has occurred while attempting to deliver a message for
    the following list of recipients:

${recipient}: ${diagnostic}

    Below is a copy of the original message:

Received: from localhost by mx.acme.example (OpenSMTPD) with ESMTP id 1
${RETURNED}

Hello
`;

/** DragonFly's mail agent, as Debian's \`dma\` has it. */
const dma: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  head("Mail delivery failed", "MAILER-DAEMON <>") + `X-Original-To: <${recipient}>

This is the DragonFly Mail Agent v0.13 at acme.example.

There was an error delivering your mail to <${recipient}>.

mx.example.com [192.0.2.1] did not like our RCPT TO:
${diagnostic}

Message headers follow.

Received: from root (uid 0)
\tid 1
${RETURNED}
`;

/** Sendmail before 8, whose replies stand before the address. */
const v5Sendmail: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  head("Returned mail", "Mail Delivery Subsystem <MAILER-DAEMON@mx.acme.example>") + `
   ----- Transcript of session follows -----
While talking to mx.example.com:
>>> RCPT To:<${recipient}>
<<< ${diagnostic}
550 <${recipient}>... ${diagnostic.replace(/^\d+ /, "")}

   ----- Unsent message follows -----
Received: by mx.acme.example; Wed, 25 Nov 2026 10:30:00 +0100
${RETURNED}
`;

/** In another language around what was said; the copy is a part of its own. */
const german: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  head("Unzustellbare Nachricht", "Postmaster <postmaster@mx.acme.example>") +
  'Content-Type: multipart/mixed; boundary="g"\n\n' + multipart("g", [
    `Content-Type: text/plain; charset=utf-8\n
Ihre Nachricht konnte nicht zugestellt werden. Diese Adresse war nicht erreichbar:

  * ${recipient}

Technische Angaben:
${diagnostic}
`,
    `Content-Type: message/rfc822\n\n${RETURNED}\n`,
  ]);

/** With the fields of a report in its text, in quoted-printable, as Amazon WorkMail writes. */
const workMail: WriteReport = (fields) =>
  head("Delivery Status Notification (Failure)") +
  'Content-Type: multipart/mixed; boundary="w"\n\n' + multipart("w", [
    `Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n
An error occurred while trying to deliver the mail to:
${fields.recipient ?? "ann@example.com"}

Technical report:

Reporting-MTA: d=
sn; mx.acme.example

${recipientFields(fields).replace("Diagnostic-Code", "Diagn=\nostic-Code")}
`,
    `Content-Type: message/rfc822\n\n${RETURNED}\n`,
  ]);

/** Words alone, as Exchange 5.5 and Domino write them. */
const exchange5: WriteReport = ({ recipient = "ann@example.com", diagnostic = "" }) =>
  head("Undeliverable: About a", "System Administrator <postmaster@mx.example.com>") + `
Your message

  To:      ${recipient}
  Subject: About a
  Sent:    Wed, 25 Nov 2026 10:30:00 +0100

did not reach the following recipient(s):

${recipient} on Wed, 25 Nov 2026 10:30:00 +0100
    ${diagnostic}
`;

/** The forms of reports, by the server that writes them. */
export const SERVERS = {
  postfix,
  exim,
  oldExim,
  exchange,
  gmail,
  sendmail,
  qmail,
  openSmtpd,
  oldOpenSmtpd,
  dma,
  v5Sendmail,
  german,
  workMail,
  exchange5,
} as const satisfies Readonly<Record<string, WriteReport>>;
