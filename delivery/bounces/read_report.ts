import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import { asObject } from "./_values.ts";
import { collectEvidence } from "./_evidence.ts";
import { readEvents } from "./_provider.ts";
import { readSnsConfirmation } from "./amazon_ses.ts";
import { PROVIDERS } from "./providers.ts";
import { inPieces, runSynchronously } from "../../model/turns.ts";
import { readMail } from "./_mail.ts";
import { readMailReport } from "./mail_report.ts";

export interface PostedReport {
  readonly contentType: string;
  readonly text: string;
}

/** The content of a report. */
export interface ReadReport {
  readonly events: readonly BounceEvent[];
  /** The number of objects in it that no provider is known for. */
  readonly unknown: number;
  /** The URL that confirms a subscription of Amazon SNS, if the report asks for confirmation. */
  readonly confirmUrl?: string | undefined;
}

const LOOKED_FOR = PROVIDERS.map(({ marks }) => marks).join(", ");
const MAX_FORM_FIELDS = 500;
// Reading this many takes some tenths of a millisecond.
const EVENTS_AT_ONCE = 50;
const LOOKED_FOR_IN_MAIL = "a part message/delivery-status (RFC 3464) or message/feedback-report " +
  "(RFC 5965), or a mail from a mail system that names an address and the reason of the failure";

/**
 * Reads a report of a provider or a relay, which it recognises by its members or parts. For an
 * unknown report, returns a text that lists the expected ones.
 */
export function readReport(posted: PostedReport): ReadReport | string {
  return runSynchronously(startReading(posted));
}

/**
 * Does the same as `readReport`, but yields to other requests between pieces: an array may have
 * thousands of events.
 */
export function readReportInPieces(
  posted: PostedReport,
): ReadReport | string | Promise<ReadReport | string> {
  return inPieces(startReading(posted));
}

/** Reads the first fields of a form. The limit is far above the number that any provider sends. */
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
  // Amazon SNS declares its JSON as plain text. A mail is never read as JSON, because anybody can
  // write one.
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
  // A report may be posted without its mail header.
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
 * Finds the event of Amazon SES in a mail from Amazon SNS, whose long lines relays may have broken.
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
