import { toAnonymousLine } from "../../../model/deliveries/mail_outcome.ts";
import { MailerError, type SendOutcome } from "../mailer.ts";

/** A reply of a relay (RFC 5321, section 4.2). */
export interface SmtpReply {
  readonly code: number;
  /** The text of each line. */
  readonly lines: readonly string[];
}

const REPLY = /^(?:\d{3}-[^\n]*\n)*(\d{3})(?: [^\n]*)?\r?\n/;
const STATUS = /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/;
const LINE_START = /^\d{3}[ -]?/;

/** Reads the reply at the start of a text; `undefined` if it is incomplete. */
export function readReply(text: string): { reply: SmtpReply; length: number } | undefined {
  const [whole, code] = REPLY.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const lines = whole.trimEnd().split(/\r?\n/).map((line) => line.replace(LINE_START, ""));
  return { reply: { code: Number(code), lines }, length: whole.length };
}

/** Returns the outcome for a recipient whose mail got a reply of 4xx or 5xx. */
export function toOutcome({ code, lines }: SmtpReply): SendOutcome {
  const [status] = STATUS.exec(lines[0]) ?? [];
  return {
    state: code < 500 ? "deferred" : "refused",
    code: status ?? `${code}`,
    text: toText(lines),
  };
}

/** Creates the error for a reply that makes the relay unusable; `what` follows the relay's name. */
export function toMailerError(what: string, reply: SmtpReply): MailerError {
  return new MailerError(`The mail relay ${what}: ${toCodes(reply)} ${toText(reply.lines)}`.trim());
}

/** Returns the reply code, with the enhanced status code if there is one. */
function toCodes({ code, lines }: SmtpReply): string {
  const [status] = STATUS.exec(lines[0]) ?? [];
  return status === undefined ? `${code}` : `${code} ${status}`;
}

/** Joins lines for a log or a terminal, without reply codes, addresses and control characters. */
function toText(lines: readonly string[]): string {
  return toAnonymousLine(lines.map((line) => line.replace(STATUS, "").trim()).join(" "));
}
