import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import { asObject } from "./_values.ts";
import { collectEvidence } from "./_evidence.ts";
import { readEvents } from "./_provider.ts";
import { readSnsConfirmation } from "./amazon_ses.ts";
import { PROVIDERS } from "./providers.ts";
import { atOnce, inPieces } from "../../model/turns.ts";
import { readMail } from "./_mail.ts";
import { readMailReport } from "./mail_report.ts";

/** A posted report: its media type with parameters, and its text. */
export interface PostedReport {
  readonly contentType: string;
  readonly text: string;
}

/** The content of a report. */
export interface ReadReport {
  readonly events: readonly BounceEvent[];
  /** How many of the objects in it are of no known kind. */
  readonly unknown: number;
  /** The URL that confirms a subscription of Amazon SNS, where it asks for that. */
  readonly confirmUrl?: string | undefined;
}

const LOOKED_FOR = PROVIDERS.map(({ knownBy }) => knownBy).join(", ");
const MAX_FORM_FIELDS = 500;
// Some tenths of a millisecond.
const EVENTS_AT_ONCE = 50;
const LOOKED_FOR_IN_MAIL = "a part message/delivery-status (RFC 3464) or message/feedback-report " +
  "(RFC 5965), or a mail of a mail system that names an address and what is the matter with it";

/**
 * Reads what a provider or a relay reports, told apart by its shape; returns what was looked for,
 * as a text, where it is nothing known.
 */
export function readReport(posted: PostedReport): ReadReport | string {
  return atOnce(startReading(posted));
}

/** Does the same, and gives others their turn in between: an array may have thousands of events. */
export function readReportInPieces(
  posted: PostedReport,
): ReadReport | string | Promise<ReadReport | string> {
  return inPieces(startReading(posted));
}

/** Reads the first fields of a form; no provider sends nearly as many as are read. */
function readForm(text: string): Record<string, string> {
  let end = 0;
  for (let count = 0; count < MAX_FORM_FIELDS && end >= 0; count++) {
    end = text.indexOf("&", end + 1);
  }
  return Object.fromEntries(new URLSearchParams(end < 0 ? text : text.slice(0, end)));
}

function* startReading({ contentType, text }: PostedReport): Generator<void, ReadReport | string> {
  const mediaType = /^[^\s;]*/.exec(contentType)![0].toLowerCase();
  if (mediaType === "application/x-www-form-urlencoded") {
    return yield* readAll([readForm(text)]);
  }
  const isMail = mediaType === "message/rfc822" || mediaType.startsWith("multipart/");
  // Amazon SNS calls its JSON plain text. A mail is never taken for it, as anybody can write one.
  const isJson = !isMail && /^\s*[[{]/.test(text);
  if (mediaType === "application/json" || isJson) {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return "it is not JSON";
    }
    return yield* readAll(Array.isArray(json) ? json : [json]);
  }
  // A report may be posted without the head of its mail.
  const isBody = mediaType.startsWith("multipart/") && !/^content-type:/im.test(headOf(text));
  const mail = readMail(isBody ? `Content-Type: ${contentType}\n\n${text}` : text);
  const event = eventInMail(mail.content);
  if (event !== undefined) {
    const report = yield* readAll([event]);
    if (typeof report === "string") return report;
    const { events, unknown } = report;
    const isAboutOne = events.length === 1;
    const evidence = { ...collectEvidence(mail, JSON.stringify(event)), isAboutOne };
    return { events: events.map((one) => ({ ...one, evidence })), unknown };
  }
  const events = readMailReport(mail);
  return events === undefined
    ? `it has none of what was looked for in a mail: ${LOOKED_FOR_IN_MAIL}`
    : { events, unknown: 0 };
}

/**
 * Finds the event of Amazon SES that Amazon SNS sends as mail, whose long lines relays may have
 * cut.
 */
function eventInMail(text: string): unknown {
  const start = text.search(
    /^\{(?:"(?:notification|event)Type":|\s{0,9}"Type" ?: ?"Notification")/m,
  );
  if (start < 0) return undefined;
  const [event] = text.slice(start).split("\n\n", 1);
  try {
    return JSON.parse(event.replace(/!?\n ?/g, ""));
  } catch {
    return undefined;
  }
}

function headOf(text: string): string {
  return /^\s*--/.test(text) ? "" : text.split(/\r?\n\r?\n/, 1)[0];
}

function* readAll(values: readonly unknown[]): Generator<void, ReadReport | string> {
  const events: BounceEvent[] = [];
  let unknown = 0;
  let confirmUrl: string | undefined;
  for (const [index, value] of values.entries()) {
    if (index % EVENTS_AT_ONCE === EVENTS_AT_ONCE - 1) yield;
    const object = asObject(value);
    confirmUrl ??= readSnsConfirmation(object);
    const provider = PROVIDERS.find(({ isOwn }) => isOwn(object));
    if (provider === undefined) unknown++;
    else events.push(...readEvents(provider, object));
  }
  if (unknown > 0 && unknown === values.length) {
    return `it has none of what was looked for in JSON or a form: ${LOOKED_FOR}`;
  }
  return { events, unknown, confirmUrl };
}
