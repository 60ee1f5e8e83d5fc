/** The mail servers whose reports are here, and how the form of each differs. */
export const SERVERS = {
  dma: "DragonFly Mail Agent (Debian's `dma`): plain text",
  exchange: "Exchange Online: CRLF, nested parts, a part in base64",
  exim: "Exim: `Action` before the recipient, and no space after `rfc822;`",
  german: "a server that writes German around the reply",
  gmail: "Gmail: a tree of parts, and the report among the last",
  old_exim: "Exim before 4.85: plain text",
  old_open_smtpd: "OpenSMTPD before 6.6: plain text",
  open_smtpd: "OpenSMTPD: no `Diagnostic-Code`, the reply stands in the text",
  postfix: "Postfix 3.7: folded fields",
  qmail: "qmail: plain text (https://cr.yp.to/proto/qsbmf.txt)",
  sendmail: "Sendmail 8",
  v5_sendmail: "Sendmail before 8: the reply stands before the address",
  work_mail: "Amazon WorkMail: a report's fields in plain text, in quoted-printable",
} as const;

/** A key of {@linkcode SERVERS}, and the name of its file in `reports/`. */
export type Server = keyof typeof SERVERS;

/** The machine-readable fields of a report. */
export interface ReportFields {
  readonly status: string;
  /** The type and text of `Diagnostic-Code`; the field is left out if absent. */
  readonly diagnostic?: string;
  readonly action?: string;
  readonly recipient?: string;
}

/** The reply of a relay, and the server that reports it. */
export interface Reply {
  readonly server: Server;
  /** Empty where the server reports none. */
  readonly status: string;
  readonly said: string;
}

const SAMPLES = new URL("./", import.meta.url);
const TEMPLATES = new Map(
  (Object.keys(SERVERS) as Server[]).map((server) => [
    server,
    Deno.readTextFileSync(new URL(`reports/${server}.eml`, SAMPLES)),
  ]),
);

const REPLIES: Readonly<Record<"permanent" | "other", readonly Reply[]>> = JSON.parse(
  Deno.readTextFileSync(new URL("replies.json", SAMPLES)),
);

/** Replies of relays for a missing mailbox or domain. */
export const PERMANENT: readonly Reply[] = REPLIES.permanent;
/** Replies of relays for other reasons, even if they sound like the ones above. */
export const OTHERS: readonly Reply[] = REPLIES.other;

/**
 * Writes the report of a server about a mail to Ann. The forms follow mails of Postfix 3.7 and of
 * https://github.com/sisimai/set-of-emails (BSD 2-Clause), written anew.
 */
export function writeReport(
  server: Server,
  { status, diagnostic, action = "failed", recipient = "ann@example.com" }: ReportFields,
): string {
  const said = diagnostic ?? "";
  const reply = said.replace(/^[\w-]+; /, "");
  const values: Readonly<Record<string, string>> = {
    status,
    action,
    recipient,
    diagnostic: said,
    reply,
    words: said.replace(/^\d+ /, ""),
    "folded diagnostic": said.replace(/(.{53,}?\S*) /g, "$1\n    "),
    "indented reply": reply.replace(/(.{1,60})(?: |$)/g, "    $1\n").trimEnd(),
  };
  const template = TEMPLATES.get(server)!;
  const text = diagnostic === undefined ? dropDiagnostic(template) : template;
  return text.replace(/\{\{([a-z ]+)\}\}/g, (_, name) => values[name]);
}

/** Leaves `Diagnostic-Code` out. */
function dropDiagnostic(template: string): string {
  return template.replace(/^Diagn(=\n)?ostic-Code: .*\r?\n/m, "");
}
